import { useEffect, useState, type ReactNode } from 'react';
import { useWords } from '../i18n/words';
import {
  formatAgo,
  formatDuration,
  formatMoment,
  formatShortMoment,
  formatTime,
  formatUtc,
  zoneName,
} from '../i18n/moments';

const FORMS = { full: formatMoment, short: formatShortMoment, time: formatTime };

/** A moment in the operator's zone. Its tooltip shows UTC and how long ago it was. */
export function Moment({
  at,
  zoned = true,
  form = 'full',
}: {
  at: string;
  /** Whether to show the zone. Columns whose head names the zone leave it out. */
  zoned?: boolean;
  form?: keyof typeof FORMS;
}): ReactNode {
  const { language, zone } = useWords();
  const text = FORMS[form](at, language, zone);
  return (
    <time className="number" dateTime={at} title={`${formatUtc(at)} · ${formatAgo(at, language)}`}>
      {text}
      {zoned && <span className="muted"> {zoneName(zone, new Date(at))}</span>}
    </time>
  );
}

/** Renders the zone, such as `GMT+7`. */
export function ZoneName(): ReactNode {
  const { zone } = useWords();
  return <span className="number">{zoneName(zone)}</span>;
}

/** The time from `from` to `to`, or until now. */
export function Age({ from, to }: { from: string; to?: string | null }): ReactNode {
  const { language } = useWords();
  const now = useNow(to ? null : 1_000);
  const end = to ? new Date(to).getTime() : now;
  return <span className="number">{formatDuration(end - new Date(from).getTime(), language)}</span>;
}

/** Renders a moment as `3 minutes ago`. */
export function Ago({ at }: { at: string }): ReactNode {
  const { language } = useWords();
  return (
    <time className="number" dateTime={at} title={formatUtc(at)}>
      {formatAgo(at, language, useNow(1_000))}
    </time>
  );
}

function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}
