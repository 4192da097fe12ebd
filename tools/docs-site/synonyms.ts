/**
 * Other words that readers look for, by the address of a heading: the search finds the heading by them as by its own words. Thai
 * words stand with a page in Thai where there is one.
 */
export const SYNONYMS: Readonly<Record<string, string>> = {
  '/getting-started': 'quickstart tutorial install begin',
  '/getting-started#install-a-library': 'sdk library npm composer package client node php download',
  '/concepts#orders-items-and-units': 'partial split quantity pieces',
  '/concepts#the-wallet':
    'empty wallet no money balance credit deposit prepaid not enough insufficient funds refund hold เติมเงิน กระเป๋าเงิน ยอดเงินไม่พอ เงินหมด คืนเงิน',
  '/concepts#idempotency': 'double charge charged twice duplicate order twice repeat reference_id หักเงินซ้ำ จ่ายซ้ำ สั่งซ้ำ',
  '/concepts#states': 'order stuck slow pending forever processing status long time ออเดอร์ค้าง คำสั่งซื้อค้าง สถานะ',
  '/sandbox': 'test mode testing demo try ทดสอบ',
  '/sandbox#how-an-order-ends': 'simulate failure magic test user force error จำลอง',
  '/guides/orders#the-players-ids':
    'player id uid zone server character game account riot mobile legends genshin free fire pubg ไอดีเกม ไอดีผู้เล่น เซิร์ฟเวอร์',
  '/guides/orders#before-an-order': 'check player name validate catalogue prices price list ตรวจสอบผู้เล่น ราคา',
  '/guides/orders#following-it': 'polling poll status track follow ติดตาม',
  '/guides/orders#when-it-failed': 'order failed refund money back ไม่สำเร็จ ล้มเหลว',
  '/guides/deposits': 'top up wallet fill balance pay in promptpay qr code transfer เติมเงิน ฝากเงิน พร้อมเพย์ คิวอาร์',
  '/guides/deposits#show-the-qr': 'checkout page image scan payment example สแกนจ่าย',
  '/sandbox#deposits': 'test payment simulate ทดสอบฝากเงิน',
  '/guides/webhooks#verifying': 'signature hmac sha256 verify signed secret check',
  '/guides/webhooks#retries': 'redelivery resend again',
  '/guides/webhooks#which-urls': 'firewall localhost https ip address allow',
  '/guides/webhooks#looking-events-up': 'missed webhook lost events outage',
  '/guides/errors-and-retries#what-to-send-again':
    'retry retries timeout no answer 500 503 backoff repeat ลองใหม่ ไม่มีคำตอบ',
  '/guides/errors-and-retries#limits': 'rate limit throttling 429 too many requests body size timeout จำกัด',
  '/guides/going-live': 'production launch checklist live key ขึ้นระบบจริง',
  '/guides/going-live#keys': 'ip whitelist allow-list allowlist address api key rotate leaked stolen คีย์',
  '/th/getting-started': 'เริ่มต้น ติดตั้ง เติมเกม',
  '/th/guides/webhooks#การตรวจลายเซ็น': 'signature hmac ตรวจสอบลายเซ็น',
  '/th/guides/webhooks#เมื่อยอดเงินใกล้หมด': 'แจ้งเตือนยอดเงิน',
};
