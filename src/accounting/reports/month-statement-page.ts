import { createHash } from 'node:crypto';
import { formatBaht, type Satang } from '../../core/money.js';
import { toCsv, type CsvCell } from '../../core/csv.js';
import type { MonthLine, MonthStatement } from './month-statement.js';
import { ACCOUNT_STATEMENT_TIMEZONE } from './statement.service.js';

/** A merchant's statement of a month. */
interface MonthOfMerchant {
  merchant: { id: number; name: string };
  month: string;
  statement: MonthStatement;
}

/** In Thai, then in English, as usual on statements in Thailand. */
const FUNDING: Record<Exclude<MonthLine['kind'], 'order'>, [string, string]> = {
  deposit: ['เงินฝาก', 'Deposit'],
  withdrawal: ['ถอนเงินและค่าธรรมเนียม', 'Withdrawal or fee'],
};
const HEADS: [string, string][] = [
  ['วันที่', 'Date'],
  ['รายการ', 'Item'],
  ['อ้างอิง', 'Reference'],
  ['ยอดสั่งซื้อ', 'Ordered'],
  ['คืนเงิน', 'Refunded'],
  ['จำนวนเงิน', 'Amount'],
];

const STATEMENT_STYLE = `
@page { size: A4; margin: 16mm 14mm }
* { box-sizing: border-box }
body { max-width: 182mm; margin: 0 auto; padding: 8mm 0; color: #1c2130; background: #fff;
  font: 9.5pt/1.45 'Noto Sans', 'Noto Sans Thai', Sarabun, 'Leelawadee UI', Thonburi, Arial, sans-serif }
h1 { margin: 0 0 1mm; font-size: 17pt } p { margin: 0 0 1mm; color: #5b6273 } strong { color: #1c2130 }
table { width: 100%; border-collapse: collapse; margin-top: 7mm }
thead { display: table-header-group } tr { break-inside: avoid }
th, td { padding: 1.4mm 1.5mm; border-bottom: .25mm solid #e3e5ea; text-align: left; vertical-align: top }
th { border-bottom-color: #1c2130; font-size: 8.5pt } td { overflow-wrap: anywhere }
td:first-child { white-space: nowrap }
small { color: #5b6273; font-size: 7.5pt; font-weight: 400 } th small { display: block }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.sums { width: 100mm; margin-left: auto } .sums tr:last-child td { border-bottom: .7mm double #1c2130; font-weight: 700 }
@media print { body { padding: 0; max-width: none } }
`;

const styleHash = createHash('sha256').update(STATEMENT_STYLE).digest('base64');
/** The page's content security policy: it loads nothing, runs nothing, and has only its own style. */
export const STATEMENT_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A statement to print on A4 or to save as PDF. Times are those of Bangkok. */
export function statementPage({ merchant, month, statement }: MonthOfMerchant): string {
  const { opening, closing, sums, lines } = statement;
  return `<!doctype html>
<html lang="th">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(`${merchant.name} ${month}`)}</title><style>${STATEMENT_STYLE}</style></head>
<body>
<h1>ใบแจ้งยอด · <span lang="en">Statement</span></h1>
<p><strong>${escape(merchant.name)}</strong> · ผู้ค้า <span lang="en">Merchant</span> ${merchant.id}</p>
<p>เดือน <span lang="en">Month</span> <strong>${escape(month)}</strong> · บาท <span lang="en">THB</span> · เวลา <span lang="en">Time zone</span> ${ACCOUNT_STATEMENT_TIMEZONE}</p>
<table class="sums"><tbody>
${sum('ยอดยกมา', 'Opening balance', opening)}
${sum('เงินฝาก', 'Deposits', sums.deposits)}
${sum('ยอดสั่งซื้อ', 'Ordered', -sums.ordered)}
${sum('คืนเงิน', 'Refunds', sums.refunded)}
${sum('ถอนเงินและค่าธรรมเนียม', 'Withdrawals and fees', -sums.withdrawn)}
${sum('ยอดคงเหลือ', 'Closing balance', closing)}
</tbody></table>
<table><thead><tr>${HEADS.map(([thai, english], at) => `<th${at > 2 ? ' class="number"' : ''}>${both(thai, english)}</th>`).join('')}</tr></thead>
<tbody>
${lines.map(row).join('\n')}
</tbody></table>
</body>
</html>
`;
}

const sum = (thai: string, english: string, amount: Satang): string =>
  `<tr><td>${both(thai, english)}</td><td class="number">${grouped(amount)}</td></tr>`;

function row({ kind, at, orderNumber, referenceId, ordered, refunded, amount }: MonthLine): string {
  const item = kind === 'order' ? escape(orderNumber ?? '') : both(...FUNDING[kind]);
  const cells = [inBangkok(at), item, escape(referenceId ?? '')].map((cell) => `<td>${cell}</td>`);
  const amounts = [ordered, refunded].map((each) => (each === 0n ? '' : grouped(each))).concat(grouped(amount));
  return `<tr>${cells.join('')}${amounts.map((each) => `<td class="number">${each}</td>`).join('')}</tr>`;
}

const both = (thai: string, english: string): string => `${thai} <small lang="en">${english}</small>`;
/** Such as `12,500.00`. */
const grouped = (amount: Satang): string => formatBaht(amount).replace(/\B(?=(\d{3})+\.)/g, ',');
const orBlank = (amount: Satang): string => (amount === 0n ? '' : formatBaht(amount));

const CLOCK = new Intl.DateTimeFormat('sv-SE', {
  timeZone: ACCOUNT_STATEMENT_TIMEZONE,
  dateStyle: 'short',
  timeStyle: 'medium',
});
/** Such as `2026-01-15 08:30:00`. */
const inBangkok = (at: Date): string => CLOCK.format(at);

const COLUMNS = ['date', 'kind', 'order_number', 'reference_id', 'ordered_amount', 'refunded_amount', 'amount'];

/** The lines of a statement as CSV, between the opening and the closing balance. */
export function statementCsv({ opening, closing, lines }: MonthStatement): string {
  const balance = (kind: string, amount: Satang): CsvCell[] => [null, kind, null, null, null, null, formatBaht(amount)];
  const rows = lines.map((line): CsvCell[] => [
    inBangkok(line.at),
    line.kind,
    line.orderNumber,
    line.referenceId,
    orBlank(line.ordered),
    orBlank(line.refunded),
    formatBaht(line.amount),
  ]);
  return `${toCsv([COLUMNS, balance('opening', opening), ...rows, balance('closing', closing)])}\n`;
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
