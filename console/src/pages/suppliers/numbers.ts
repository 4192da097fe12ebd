import { formatDuration } from '../../i18n/moments';

export const formatNumber = (value: number, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value);

/** A share as a percentage, or a dash for null. */
export const formatShare = (share: number | null, language: string): string =>
  share === null ? '—' : new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share);

const TENTHS_UNTIL_MS = 10_000;

/** Short durations get a decimal, so that 1.5 s and 2 s look different. */
export function formatMs(ms: number | null, language: string): string {
  if (ms === null) return '—';
  if (ms < 1_000 || ms >= TENTHS_UNTIL_MS) return formatDuration(ms, language);
  const seconds = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(ms / 1_000);
  return `${seconds}\u00A0${language === 'th' ? 'วินาที' : 's'}`;
}
