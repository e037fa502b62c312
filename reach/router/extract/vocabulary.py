"""Everyday words for what parameters are, in both languages.

Rule: the table only says the same thing in the other language; what a parameter means is said by the tool file.
"""

from __future__ import annotations

LABELS: dict[str, str] = {
    "reason": "原因 理由", "cause": "原因", "subject": "主题 标题", "title": "标题 题目",
    "description": "描述 说明 详情", "detail": "详情 细节", "content": "内容 正文", "message": "消息 留言 内容",
    "note": "备注 说明", "remark": "备注", "comment": "评论 备注", "body": "正文 内容", "quantity": "数量",
    "count": "数量 个数", "amount": "金额 数额", "price": "价格 售价", "cost": "费用 花费", "budget": "预算",
    "phone": "电话 手机号 手机", "tail": "尾号", "date": "日期", "day": "天", "priority": "优先级",
    "email": "邮箱 邮件地址", "address": "地址", "name": "名称 名字 姓名", "city": "城市", "size": "尺码 大小",
    "color": "颜色", "rating": "评分", "score": "分数 评分", "weight": "重量 体重", "height": "高度 身高",
    "length": "长度", "width": "宽度", "age": "年龄", "duration": "时长", "limit": "数量", "username": "用户名",
    "password": "密码", "keyword": "关键词 关键字", "query": "关键词", "id": "编号 ID", "number": "编号 号码",
    "code": "代码 编码", "order": "订单", "rate": "利率 比率 率", "percentage": "百分比", "distance": "距离",
    "speed": "速度", "temperature": "温度", "year": "年份", "month": "月份", "status": "状态", "type": "类型",
    "category": "类别 分类",
}  # fmt: skip
"""Chinese labels, parted by blanks, for a word of an English parameter name."""
