/**
 * Replaces texts that differ between runs, such as names, times and ports, by fixed stand-ins, so that pictures stay the same.
 * The page evaluates this as text, because the tests do not have the types of a browser. `put()` replaces the texts.
 * `takeBack()` restores those that the page has not changed since, and `isKept()` tells whether the page changed none.
 */
export const STAND_INS = String.raw`(() => {
  const NAMES = {
    operator: ['mali', 'nok', 'somsak', 'arthit'],
    merchant: ['TopSpeed Game Shop', 'Kaikem Topup', 'NongMai Diamonds'],
    SKU: ['MLBB-86', 'FF-100', 'ROV-40', 'PUBG-60', 'MLBB-172'],
    order: ['TS-10482', 'TS-10483', 'TS-10485', 'TS-10486', 'TS-10488'],
    credit: ['KBANK-1001', 'KBANK-1002', 'KBANK-1003'],
    deposit: ['invoice-1041', 'invoice-1042', 'invoice-1043'],
  };
  const PLAYERS = ['428051699', '1180427735', '736920148', '905133672'];
  const LETTERS = 'Rk3Wq8ZtN5vHx2LdB7mYc4PfGs9JaTe6Ku';
  const known = new Map();
  const counts = new Map();
  /** Equal texts get equal stand-ins, and different texts get different ones, in the order of their first use. */
  const standIn = (kind, text, make) => {
    if (!known.has(text)) {
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      known.set(text, make(count));
    }
    return known.get(text);
  };
  const letters = (seed, length) => {
    let number = seed + 17;
    return Array.from({ length }, () => LETTERS[(number = (number * 75 + 74) % 65537) % LETTERS.length]).join('');
  };
  const random = (prefix) => (text) =>
    standIn(prefix, text, (count) => prefix + letters(count, text.length - prefix.length));
  const pick = (list) => (count) => list[count] ?? list.at(-1) + '-' + count;
  const named = (text, kind) => standIn(kind, text, pick(NAMES[kind] ?? PLAYERS));
  const RULES = [
    [/\bord_[A-Za-z0-9]{16}/g, random('ord_')],
    [/\bevt_[A-Za-z0-9]{22}/g, random('evt_')],
    [/\bdep_[A-Za-z0-9]{16}/g, random('dep_')],
    [/\bpay_[A-Za-z0-9]{22}/g, random('pay_')],
    [/\bD[0-9A-HJKMNP-TV-Z]{11}\b/g, random('D')],
    [/\btopup_[A-Za-z0-9]{6,}/g, random('topup_')],
    [/\bwhsec_[A-Za-z0-9]+/g, random('whsec_')],
    [/\b(operator|merchant|SKU|order|credit|deposit|refused|doubtful|buyer)-\d+-\d+/g, named],
    [/\bfake\b/g, () => 'lotus-topup'],
    [/\bendpoint-\d+-\d+/g, () => 'webhooks'],
    [/(?<=\/set-up#)[\w-]{20,}/g, (text) => letters(3, text.length)],
    [/\bafter \d+ tr(y|ies)\b/g, () => 'after 2 tries'],
    [/หลังจากถาม(\s?)\d+/g, (_, gap) => 'หลังจากถาม' + gap + '2'],
    [/\bworker@[\w.:-]+/g, () => 'worker@topup-1:1'],
    [/\b10\.\d+\.\d+\.\d+/g, () => '10.20.30.40'],
    [/127\.0\.0\.1:\d{4,}/g, () => '127.0.0.1:8080'],
    // Times: as in JSON, to the second, and to the minute.
    [/\b1[78]\d{8}\b/g, () => '1795417509'],
    [/T\d\d:\d\d:\d\d(\.\d+)?Z/g, () => 'T07:05:09.120Z'],
    [/\b\d\d:\d\d:\d\d\b/g, () => '14:05:09'],
    [/(, )\d\d:\d\d\b/g, (_, before) => before + '14:05'],
    [/^\d\d:\d\d$/g, (text) => axisTime(text)],
  ];
  /** Durations and ages. */
  const LENGTHS = [
    [/\b\d{1,3}(\s?ms)/g, (_, unit) => '84' + unit],
    [/(?<![\d.])(\d+\smin\s)?\d+\ss\b/g, () => '12 s'],
    [/(?<![\d.])(\d+\sนาที\s)?\d+\sวินาที/g, () => '12 วินาที'],
    [/\b\d+\sseconds?\sago/g, () => '12 seconds ago'],
    [/^now$/g, () => '12 seconds ago'],
    [/ขณะนี้/g, () => '12 วินาทีที่ผ่านมา'],
  ];
  const TODAY = Date.UTC(2026, 10, 23);
  const now = new Date(Date.now() + 7 * 3600_000);
  const moved = Math.round((TODAY - Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())) / 86_400_000);
  /** Times of a chart keep their distance from now. */
  const axisTime = (text) => {
    const [hours, minutes] = text.split(':').map(Number);
    const shown = (hours * 60 + minutes - now.getUTCHours() * 60 - now.getUTCMinutes() + 14 * 60 + 5 + 2880) % 1440;
    return [Math.floor(shown / 60), shown % 60].map((each) => String(each).padStart(2, '0')).join(':');
  };
  const dayText = (language, time, withYear) =>
    new Intl.DateTimeFormat(language === 'th' ? 'th-TH-u-ca-gregory-nu-latn' : 'en-GB',
      { day: 'numeric', month: 'short', timeZone: 'UTC', ...(withYear ? { year: 'numeric' } : {}) }).format(time);
  /** The days of the last two months, as the page writes them, with a stand-in for each. */
  const days = [];
  for (let ago = -1; ago < 62; ago += 1) {
    const then = TODAY - ago * 86_400_000;
    for (const language of ['en', 'th'])
      for (const withYear of [true, false])
        days.push([dayText(language, then - moved * 86_400_000, withYear), dayText(language, then, withYear)]);
    const iso = (time) => new Date(time).toISOString().slice(0, 10);
    days.push([iso(then - moved * 86_400_000), iso(then)]);
  }
  const dayMap = new Map(days);
  const DAYS = new RegExp('(?<!\\d)(' + days.map(([text]) => text.replaceAll('.', '\\.')).join('|') + ')(?!\\d)', 'g');
  const changedBy = (rules, text) =>
    rules.reduce((changed, [pattern, make]) => changed.replace(pattern, make), text);
  /** Leaves out the labels of a chart's axes, which are no measurements. */
  const isMark = (element) => element?.parentElement?.nextElementSibling?.getAttribute('role') === 'slider';
  const inStead = (text, element) =>
    (isMark(element) ? text : changedBy(LENGTHS, changedBy(RULES, text))).replace(DAYS, (day) => dayMap.get(day));

  let put = [];
  return {
    put() {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const changed = inStead(node.data, node.parentElement);
        if (changed === node.data) continue;
        put.push({ target: node, member: 'data', was: node.data, is: changed });
        node.data = changed;
      }
      for (const field of document.querySelectorAll('input:not([type=file]), textarea')) {
        const changed = inStead(field.value, null);
        if (changed === field.value) continue;
        put.push({ target: field, member: 'value', was: field.value, is: changed });
        field.value = changed;
      }
    },
    /** Whether the page has changed none of them since. */
    isKept: () => put.every(({ target, member, is }) => target[member] === is),
    takeBack() {
      for (const { target, member, was, is } of put) if (target[member] === is) target[member] = was;
      put = [];
    },
  };
})()`;
