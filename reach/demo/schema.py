"""The tables of the demo shop and the words for their codes.

Rule: amounts are integers in fen (1/100 yuan), moments are `YYYY-MM-DD HH:MM` in the shop's time (Asia/Shanghai), and
every code that a customer may meet has its words in `labels`.
"""

from __future__ import annotations

TABLES = """
CREATE TABLE labels (
  kind TEXT NOT NULL, code TEXT NOT NULL, en TEXT NOT NULL, zh TEXT NOT NULL,
  PRIMARY KEY (kind, code)
);
CREATE TABLE customers (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, language TEXT NOT NULL CHECK (language IN ('zh', 'en')),
  phone TEXT NOT NULL UNIQUE, phone_tail TEXT NOT NULL, city TEXT NOT NULL, joined_on TEXT NOT NULL
);
CREATE INDEX customers_by_tail ON customers (phone_tail);
CREATE TABLE staff (
  id TEXT PRIMARY KEY, name_zh TEXT NOT NULL UNIQUE, name_en TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('support', 'repair', 'warehouse', 'supervisor'))
);
CREATE TABLE warranty_policies (
  category TEXT PRIMARY KEY, category_en TEXT NOT NULL, category_zh TEXT NOT NULL,
  warranty_months INTEGER NOT NULL, return_days INTEGER NOT NULL, exchange_days INTEGER NOT NULL,
  covers_en TEXT NOT NULL, covers_zh TEXT NOT NULL, excludes_en TEXT NOT NULL, excludes_zh TEXT NOT NULL
);
CREATE TABLE products (
  sku TEXT PRIMARY KEY, category TEXT NOT NULL REFERENCES warranty_policies,
  kind_en TEXT NOT NULL, kind_zh TEXT NOT NULL,
  name_en TEXT NOT NULL UNIQUE, name_zh TEXT NOT NULL UNIQUE,
  price_fen INTEGER NOT NULL CHECK (price_fen > 0), stock INTEGER NOT NULL CHECK (stock >= 0)
);
CREATE INDEX products_by_category ON products (category);
CREATE TABLE orders (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers,
  status TEXT NOT NULL CHECK (status IN ('processing', 'shipped', 'delivered', 'cancelled', 'returned')),
  placed_at TEXT NOT NULL, shipped_at TEXT, delivered_at TEXT, expected_on TEXT,
  amount_fen INTEGER NOT NULL CHECK (amount_fen > 0), receiver_phone TEXT NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id, placed_at);
CREATE TABLE order_items (
  order_id TEXT NOT NULL REFERENCES orders, line INTEGER NOT NULL, sku TEXT NOT NULL REFERENCES products,
  quantity INTEGER NOT NULL CHECK (quantity > 0), price_fen INTEGER NOT NULL,
  PRIMARY KEY (order_id, line)
);
CREATE TABLE parcels (
  waybill TEXT PRIMARY KEY, order_id TEXT NOT NULL UNIQUE REFERENCES orders,
  carrier_en TEXT NOT NULL, carrier_zh TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('in_transit', 'delivered'))
);
CREATE TABLE parcel_events (
  waybill TEXT NOT NULL REFERENCES parcels, sequence INTEGER NOT NULL, at TEXT NOT NULL,
  step TEXT NOT NULL, city TEXT NOT NULL,
  PRIMARY KEY (waybill, sequence)
);
CREATE TABLE order_exceptions (
  order_id TEXT PRIMARY KEY REFERENCES orders, kind TEXT NOT NULL, opened_on TEXT NOT NULL, resolved_on TEXT
);
CREATE INDEX order_exceptions_by_day ON order_exceptions (opened_on);
CREATE TABLE tickets (
  id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders, customer_id TEXT NOT NULL REFERENCES customers,
  issue_type TEXT NOT NULL, description TEXT,
  status TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'resolved', 'cancelled')),
  assignee_id TEXT REFERENCES staff, opened_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  idempotency_key TEXT UNIQUE, cancel_key TEXT
);
CREATE INDEX tickets_by_customer ON tickets (customer_id);
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY, ticket_id TEXT NOT NULL REFERENCES tickets, assignee_id TEXT NOT NULL REFERENCES staff,
  sender_id TEXT NOT NULL REFERENCES staff, message TEXT NOT NULL, sent_at TEXT NOT NULL, idempotency_key TEXT UNIQUE
);
"""

LABELS: dict[str, dict[str, tuple[str, str]]] = {
    "order_status": {
        "processing": ("being prepared", "备货中"),
        "shipped": ("shipped", "已发货"),
        "delivered": ("delivered", "已签收"),
        "cancelled": ("cancelled", "已取消"),
        "returned": ("returned", "已退货"),
    },
    "parcel_step": {
        "picked_up": ("picked up by the carrier", "快递已揽收"),
        "sorting": ("at the sorting centre", "到达分拨中心"),
        "left": ("left the sorting centre", "离开分拨中心"),
        "out": ("out for delivery", "正在派送"),
        "delivered": ("delivered", "已签收"),
    },
    "exception": {
        "late_dispatch": ("dispatched late", "延迟发货"),
        "stuck_in_transit": ("stuck in transit", "物流停滞"),
        "lost": ("parcel lost", "包裹丢失"),
        "address_problem": ("address problem", "地址异常"),
        "refused": ("refused by the recipient", "客户拒收"),
        "damaged": ("damaged on the way", "运输破损"),
        "payment_mismatch": ("payment does not match", "支付金额不符"),
    },
    "issue_type": {
        "defective": ("does not work", "故障"),
        "damaged": ("arrived damaged", "到货破损"),
        "missing_item": ("something is missing", "少发漏发"),
        "wrong_item": ("wrong item", "发错货"),
        "refund": ("return and refund", "退货退款"),
        "exchange": ("exchange", "换货"),
        "other": ("something else", "其他问题"),
    },
    "ticket_status": {
        "open": ("open", "待处理"),
        "in_progress": ("in progress", "处理中"),
        "resolved": ("resolved", "已解决"),
        "cancelled": ("cancelled", "已撤销"),
    },
}
"""Kind of code -> code -> its words in English and Chinese."""
