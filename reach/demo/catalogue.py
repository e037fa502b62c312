"""What the demo shop sells, on which terms, and the names its people are made of.

Rule: everything here is invented; a product is called the same in the database as customers call it, in both languages.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """One product category with its after-sales terms (months and days) and its kinds of product.

    `kinds` are (English, Chinese, price in yuan of the plain model).
    """

    code: str
    en: str
    zh: str
    warranty_months: int
    return_days: int
    exchange_days: int
    covers: tuple[str, str]
    excludes: tuple[str, str]
    kinds: tuple[tuple[str, str, int], ...]


CATEGORIES: tuple[Category, ...] = (
    Category(
        "kitchen", "Kitchen", "厨房电器", 12, 7, 15,
        ("Heating parts, motor, control board", "发热部件、电机、控制板"),
        ("Limescale, dents, a worn seal", "水垢、磕碰、密封圈老化"),
        (("electric kettle", "电热水壶", 129), ("rice cooker", "电饭煲", 299),
         ("toaster", "烤面包机", 159), ("blender", "破壁机", 399)),
    ),
    Category(
        "cleaning", "Cleaning", "清洁电器", 24, 7, 15,
        ("Motor, battery, charging base", "电机、电池、充电座"),
        ("Brushes, filters, water damage", "滚刷、滤网、进水"),
        (("vacuum cleaner", "吸尘器", 599), ("robot vacuum", "扫地机器人", 1499),
         ("steam mop", "蒸汽拖把", 349), ("mite remover", "除螨仪", 269)),
    ),
    Category(
        "audio", "Audio", "影音", 12, 7, 30,
        ("Sound units, battery, Bluetooth", "发声单元、电池、蓝牙"),
        ("Ear tips, cables, a lost earbud", "耳塞、线材、单只丢失"),
        (("wireless earbuds", "蓝牙耳机", 259), ("bluetooth speaker", "蓝牙音箱", 199),
         ("soundbar", "回音壁", 699), ("microphone", "麦克风", 229)),
    ),
    Category(
        "lighting", "Lighting", "灯具", 36, 15, 30,
        ("LED module, driver, switch", "灯珠、驱动、开关"),
        ("Lampshades, wrong installation", "灯罩、安装不当"),
        (("desk lamp", "台灯", 149), ("ceiling light", "吸顶灯", 329),
         ("night light", "小夜灯", 49), ("light strip", "灯带", 89)),
    ),
    Category(
        "personal_care", "Personal care", "个护", 12, 7, 7,
        ("Motor, battery, charger", "电机、电池、充电器"),
        ("Brush heads and blades; opened packs can't be returned", "刷头、刀头；拆封不退"),
        (("hair dryer", "吹风机", 239), ("electric toothbrush", "电动牙刷", 179),
         ("electric shaver", "剃须刀", 219), ("massager", "按摩仪", 289)),
    ),
    Category(
        "computer", "Computer accessories", "电脑配件", 24, 7, 30,
        ("Keys, sensors, ports", "按键、传感器、接口"),
        ("Spilled liquids, worn keycaps", "进液、键帽磨损"),
        (("keyboard", "键盘", 269), ("mouse", "鼠标", 119), ("webcam", "摄像头", 199), ("usb hub", "扩展坞", 159)),
    ),
    Category(
        "outdoor", "Outdoor", "户外", 12, 7, 15,
        ("Frames, zips, seams, cells", "支架、拉链、缝线、电芯"),
        ("Tears, sun bleaching", "撕裂、日晒褪色"),
        (("tent", "帐篷", 459), ("camping lantern", "露营灯", 99),
         ("power bank", "充电宝", 149), ("insulated bottle", "保温杯", 89)),
    ),
    Category(
        "smart_home", "Smart home", "智能家居", 24, 7, 15,
        ("Electronics, motor, wireless module", "电子部件、电机、无线模块"),
        ("Batteries, a forgotten account", "干电池、账号遗失"),
        (("smart plug", "智能插座", 59), ("door sensor", "门窗传感器", 69),
         ("humidifier", "加湿器", 189), ("air purifier", "空气净化器", 899)),
    ),
)  # fmt: skip

MODELS: tuple[tuple[str, str, int], ...] = (
    ("Mini", "迷你款", 70),
    ("Lite", "轻巧款", 100),
    ("Plus", "加强款", 140),
    ("Pro", "旗舰款", 200),
)
"""The four models of each kind: English, Chinese, price in per cent of the plain one."""

CARRIERS: tuple[tuple[str, str], ...] = (
    ("Swallow Express", "飞燕快递"),
    ("Milestone", "里程物流"),
    ("Harbour Post", "港湾速运"),
)

CITIES: tuple[str, ...] = (
    "上海", "杭州", "南京", "北京", "天津", "广州", "深圳", "成都", "重庆", "武汉", "西安", "长沙", "青岛",
    "Hong Kong", "Singapore",
)  # fmt: skip

SURNAMES_ZH = "王李张刘陈杨黄赵周吴徐孙马朱胡郭何林高罗"
GIVEN_ZH: tuple[str, ...] = (
    "伟", "芳", "娜", "敏", "静", "磊", "军", "洋", "勇", "艳", "杰", "涛", "明", "霞", "平", "刚", "桂英", "雨桐",
    "子涵", "浩然", "思远", "佳怡", "晓东", "文博", "欣妍", "梓萱", "宇轩", "若曦", "建国", "海燕",
)  # fmt: skip
GIVEN_EN: tuple[str, ...] = (
    "Olivia", "Noah", "Amelia", "Liam", "Sofia", "Ethan", "Grace", "Lucas", "Hannah", "Mateo", "Aisha", "Daniel",
    "Priya", "Oscar", "Chloe", "Samuel", "Ingrid", "Tomas", "Nadia", "Victor",
)  # fmt: skip
SURNAMES_EN: tuple[str, ...] = (
    "Hughes", "Patel", "Novak", "Rossi", "Larsen", "Okoye", "Silva", "Meyer", "Dubois", "Kaya", "Walsh", "Haddad",
    "Lind", "Costa", "Fraser", "Bauer",
)  # fmt: skip

STAFF: tuple[tuple[str, str, str, str], ...] = (
    ("u_2001", "周倩", "Joy Zhou", "support"),
    ("u_2002", "托马斯", "Tom Becker", "support"),
    ("u_2003", "陈立", "Leon Chen", "supervisor"),
    ("u_2004", "赵敏", "Mia Zhao", "support"),
    ("u_2005", "孙浩", "Hal Sun", "repair"),
    ("u_2006", "刘洋", "Owen Liu", "repair"),
    ("u_2007", "马琳", "Lynn Ma", "warehouse"),
    ("u_2008", "高翔", "Sean Gao", "warehouse"),
)
"""Id, Chinese name, English name, role."""
