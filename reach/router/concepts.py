"""Words that mean the same to a service desk, in English and Chinese: a small thesaurus for the local ranker.

Rule: a group holds what people say for one thing in everyday requests, whatever the tools are; it knows no tool. Each
line is `concept: English words | English phrases of two words | Chinese phrases`; a word may stand in several groups.
"""

from __future__ import annotations

_GROUPS = """
ship: ship shipped shipping shipment dispatch dispatched | sent out, been sent | 发货 发出 寄出 出库
    发走 发了 发没发 配送 派送
arrive: arrive arrives arrival deliver delivered delivery | get here, got here, turn up, show up | 到货 送到 送达
    收到 到了 没到 到哪 到达 签收 收货 几时到 何时到
parcel: parcel package courier carrier waybill tracking logistics | | 快递 包裹 物流 运单 快递单 单号
whereabouts: whereabouts location located track tracking | where is | 在哪 到哪 哪里 哪儿 位置 轨迹 地点
progress: status progress update updates state stage | how far, coming along, any news, going on, any update | 状态
    进度 进展 情况 怎么样 怎样了 咋样 处理到 弄好 办好 搞定 好没 好了吗 了没 没有消息
order: order orders purchase purchases purchased bought buy | | 订单 定单 单子 下单 买了 买过 购买 订购 下单了 购物
buy: buy purchase shop shopping sell sells stock sale available | | 买 购买 想买 有卖 卖 购 选购 有货 库存 现货
product: product products goods item items merchandise model | | 商品 产品 货品 东西 货 型号 款
price: price prices priced cost costs cheap cheaper expensive afford budget | how much | 价格 价钱 价位 多少钱 售价
    便宜 贵 费用 几块 元以下 元以内 块钱
refund: refund refunds refunded reimburse reimbursement | money back, return policy, send back, take back | 退款
    退钱 退货 退掉 退回 可以退 能退 想退 要退 退换
exchange: exchange exchanged swap replace replacement replaced | | 换货 更换 换新 调换 退换 换一个 换个 能换 可以换
    想换 要换 换吗 换得
warranty: warranty guarantee guaranteed | | 保修 质保 包修 三包 保几年 保多久 保固 免费修
broken: broken broke break fault faulty defective defect damaged damage malfunction dead crack cracked leaking | not
    working, stopped working | 坏 坏了 故障 破损 损坏 不能用 用不了 不工作 没反应 开不了 漏水 没声音 有问题 失灵
repair: repair repairs repaired fix fixed mend | looked at | 修 维修 修理 报修 返修
ticket: ticket tickets case complaint issue request | | 工单 售后单 报修单 报过 提过 投诉 反馈 问题单
create: create open file raise submit register log lodge | set up | 创建 新建 提交 提个 开个 登记 建一个 提一个 申请
cancel: cancel cancelled canceled cancellation withdraw revoke abort undo | call off | 取消 撤销 撤回 撤掉 不要了
    作废 退订
change: change modify update edit adjust amend alter reschedule | | 修改 更改 变更 改成 改一下 改为 调整 改签 编辑
delete: delete remove erase clear drop | get rid | 删除 删掉 移除 清空 去掉 清除
list: list all every history record records | | 全部 所有 哪些 列出 列一下 列表 都有 都列 记录 历史 清单
search: search find look lookup seek query browse discover explore locate | look up, look for, looking for | 查 查询
    查找 找 搜索 搜 检索 查一下 看看 看下 浏览
notify: notify notification message remind reminder alert inform ping nudge | let know, send message, give heads |
    通知 提醒 转告 告知 催 催一下 告诉 发消息 发送
person: assignee owner agent handler staff employee colleague | | 处理人 负责人 客服 员工 同事 专员 跟进人
person_list: customer customers client user | | 顾客 客户 用户 买家
abnormal: abnormal unusual exception exceptional anomaly anomalies problem problematic stuck delayed delay late
    overdue | gone wrong | 异常 问题 卡住 延误 超时 延迟 迟迟 出错
eligible: eligible eligibility qualify entitled allowed permitted | too late, in time, still able | 资格 符合 期限
    能不能 可不可以 还能 还可以 过期 来得及 能否
policy: policy policies terms rule rules regulation | | 政策 规定 条款 规则 制度
date: date day weekday today tomorrow calendar | day of, what day | 日期 几号 星期 周几 哪天 几月 号是
time: time clock hour timezone | what time | 时间 几点 时区 钟点
duration: duration days weeks months long period deadline | how long | 多久 几天 几个月 多长时间 期限 时长 几年
    多少天
address: address street postcode zip | | 地址 住址 收货地址 邮编
phone: phone telephone mobile cell number contact | | 电话 手机 手机号 联系方式 号码 尾号
payment: pay payment paid transfer remit | send money | 支付 付款 付钱 转账 汇款 缴费 打钱
bill: bill bills invoice invoices receipt | | 账单 发票 收据 开票
balance: balance account funds | | 余额 账户 存款
card: card credit debit | | 卡 银行卡 信用卡
coupon: coupon coupons discount discounts promotion voucher promo deal deals offer | | 优惠 优惠券 折扣 促销 打折
    活动
weather: weather forecast temperature rain sunny climate humidity | | 天气 气温 下雨 气候 温度 预报
travel: travel trip journey vacation holiday itinerary tour | | 旅行 旅游 行程 出行 度假 游玩
flight: flight flights airline plane airfare airport | | 航班 机票 飞机 飞
train: train trains railway rail | | 火车 高铁 动车 列车
hotel: hotel hotels accommodation lodging stay room rooms motel | | 酒店 住宿 宾馆 旅馆 房间 民宿
restaurant: restaurant restaurants dining dinner eat eatery | | 餐厅 餐馆 饭店 吃饭 美食 就餐
reserve: reserve reservation reservations booking booked appointment schedule | make booking | 预订 预约 预定 订位
    挂号 订个
ride: ride cab taxi uber lyft | | 打车 出租车 叫车 网约车
route: route directions navigate navigation way | how get | 路线 导航 怎么走 怎么去
food: food recipe recipes cook cooking meal dish ingredient | | 菜谱 食谱 做菜 烹饪 菜 食材
news: news headlines headline article articles | | 新闻 头条 资讯 报道
music: music song songs track playlist album | | 音乐 歌曲 歌 播放列表
movie: movie movies film films cinema theater | | 电影 影片 影院
book: book books novel reading ebook | | 书 书籍 小说 图书 阅读
video: video videos clip youtube | | 视频 录像
image: image images picture pictures photo photos | | 图片 照片 图像
translate: translate translation translator | how say | 翻译 译成
summary: summary summarize summarise summarizing abstract overview | | 总结 摘要 概括 概述 归纳
document: document documents pdf file files doc | | 文档 文件 资料
job: job jobs career careers employment hiring vacancy position positions recruitment | | 工作 职位 招聘 求职 岗位
learn: learn learning study course courses lesson lessons tutor education educational teach | | 学习 课程 教学 教育
    辅导 教
health: health medical doctor symptom symptoms disease illness diagnosis | | 健康 医疗 医生 症状 疾病 诊断
fitness: fitness exercise workout gym training | | 健身 锻炼 运动
stock: stock stocks share shares equity | | 股票 股价 股市
invest: invest investment investing portfolio | | 投资 理财 基金
currency: currency currencies exchange rate forex | | 汇率 货币 外汇
calculate: calculate calculation compute calculator math solve | work out | 计算 算一下 求 运算
analyze: analyze analyse analysis analytics evaluate assess assessment | | 分析 评估 评价 统计
house: house home apartment property properties estate rent rental | | 房子 房屋 住房 公寓 租房 房产
insurance: insurance insure coverage | | 保险 投保 理赔
password: password passcode pin credentials | | 密码 口令 登录
lost: lost missing stolen misplaced | | 丢 丢失 丢了 不见 遗失 被盗
game: game games play puzzle | | 游戏 玩
gift: gift gifts present | | 礼物 礼品
pet: pet pets dog dogs cat cats | | 宠物 狗 猫
car: car vehicle auto automobile | | 车 汽车 车辆
email: email emails mail inbox | | 邮件 邮箱
meeting: meeting meetings conference | | 会议 开会
alarm: alarm timer wake | | 闹钟 定时
code: code coding programming repository github script | | 代码 编程 程序 脚本
website: website site webpage web url link | | 网站 网页 链接 网址
event: event events concert show shows | | 活动 演出 演唱会
security: security secure breach fraud scam suspicious | | 安全 欺诈 诈骗 泄露
"""


def _read() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The groups as three tables: English words, English phrases, Chinese phrases, each with its concepts."""
    tables: tuple[dict[str, tuple[str, ...]], ...] = ({}, {}, {})
    for line in _GROUPS.replace("\n ", " ").strip().splitlines():
        name, _, rest = line.partition(": ")
        words, phrases, chinese = rest.split("|")
        for table, entries in zip(tables, (words.split(), phrases.split(","), chinese.split()), strict=True):
            for entry in filter(None, map(str.strip, entries)):
                table[entry] = (*table.get(entry, ()), f"#{name}")
    return tables[0], tables[1], tables[2]


WORDS, PHRASES, CHINESE = _read()
_LONGEST = max(map(len, CHINESE))


def chinese_concepts(run: str) -> list[str]:
    """The concepts in a run of Chinese characters: at each place those of the longest phrase that begins there."""
    found: dict[str, None] = {}
    for at in range(len(run)):
        for size in range(min(_LONGEST, len(run) - at), 0, -1):
            if names := CHINESE.get(run[at : at + size]):
                found.update(dict.fromkeys(names))
                break
    return list(found)
