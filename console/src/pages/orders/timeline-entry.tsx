import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords, type Translate } from '../../i18n/words';
import { formatDuration, formatTime } from '../../i18n/moments';
import { Amount, formatAmount } from '../../kit/amount';
import {
  CallIcon,
  CheckIcon,
  CrossIcon,
  EventIcon,
  MoneyIcon,
  NoteIcon,
  PersonIcon,
  ReviewIcon,
  StateIcon,
} from '../../kit/icons';
import { detailInWords } from '../../kit/call-detail';
import { Code, Status } from '../../kit/status';
import { isBad } from '../../kit/timeline-model';
import { AttemptWhy } from './attempt-why';
import type { EntryView } from './order-view';
import classes from './timeline-entry.module.css';

/** The first pattern that matches the kind of an entry selects its icon. */
const ICONS: readonly (readonly [RegExp, () => ReactNode])[] = [
  [/^(order|unit)\.failed$/, CrossIcon],
  [/^(order\.|unit\.succeeded)/, CheckIcon],
  [/^unit\.review$/, ReviewIcon],
  [/^money\./, MoneyIcon],
  [/^supplier\./, CallIcon],
  [/^(event|webhook)\./, EventIcon],
];

export function EntryIcon({ entry: { kind, operator } }: { entry: EntryView }): ReactNode {
  if (operator) return kind === 'order.note' ? <NoteIcon /> : <PersonIcon />;
  const Icon = ICONS.find(([pattern]) => pattern.test(kind))?.[1] ?? StateIcon;
  return <Icon />;
}

/** One line for the event, and below it the duration, process, operator, reason and other details. */
export function EntryText({ entry, times }: { entry: EntryView; times: number }): ReactNode {
  const { t, language, zone } = useWords();
  const { amount, reason, delivery_id: delivery } = entry;
  const until = formatTime(entry.at, language, zone);
  const title = times > 1 ? t('story.repeated', { supplier: entry.supplier ?? '', times, until }) : titleOf(entry, t);
  const asides = asidesOf(entry, t, language, zone);
  return (
    <>
      <span className={classes.text}>
        {delivery === undefined ? (
          title
        ) : (
          <Link to="/deliveries" search={{ delivery: String(delivery) }}>
            {title}
          </Link>
        )}
        {amount && <Amount value={amount} />}
        <Outcome entry={entry} />
      </span>
      {asides.length > 0 && <p className={classes.aside}>{asides.join(' · ')}</p>}
      <AttemptWhy entry={entry} />
      {reason && <p className={classes.reason}>{reason}</p>}
    </>
  );
}

const FAILURE_CODE = /^[A-Z][A-Z_]+$/;

function Outcome({ entry }: { entry: EntryView }): ReactNode {
  const { kind, outcome } = entry;
  if (outcome === undefined) return null;
  if (kind === 'webhook.attempt') return <Status of={isBad(entry) ? 'failed' : 'succeeded'} />;
  return FAILURE_CODE.test(outcome) ? <Code of={outcome} short /> : <Status of={outcome} />;
}

/** The small print of an entry, most important first. Its process is only in the raw data. */
function asidesOf(entry: EntryView, t: Translate, language: string, zone: string): string[] {
  const { kind, outcome, attempt, duration_ms, operator, detail, until } = entry;
  const isWebhook = kind === 'webhook.attempt';
  const given = [
    operator,
    isWebhook && attempt !== undefined ? t('story.try', { number: attempt }) : undefined,
    isWebhook && outcome !== undefined ? (/^\d+$/.test(outcome) ? `HTTP ${outcome}` : outcome) : undefined,
    duration_ms === undefined ? undefined : formatDuration(duration_ms, language),
    ...costsOf(entry, t),
    entry.available_after === undefined
      ? undefined
      : t('story.available', { amount: formatAmount(entry.available_after) }),
    entry.supplier_sku,
    entry.reference,
    detail === undefined ? undefined : detailInWords(detail, t),
    until === undefined ? undefined : t('story.until', { time: formatTime(until, language, zone) }),
  ];
  return given.filter((aside) => aside !== undefined);
}

function costsOf({ cost, expected_cost, max_cost, currency = '' }: EntryView, t: Translate): string[] {
  const written = (amount: string): { cost: string } => ({ cost: `${formatAmount(amount)} ${currency}` });
  return [
    ...(cost === undefined ? [] : [t('story.cost', written(cost))]),
    ...(expected_cost === undefined ? [] : [t('story.expected', written(expected_cost))]),
    ...(max_cost === undefined ? [] : [t('story.atMost', written(max_cost))]),
  ];
}

/** The translated kind, or the kind itself when there is no translation. */
function titleOf({ kind, supplier = '', attempt = 1 }: EntryView, t: Translate): string {
  const isAny = kind.startsWith('event.') ? 'event' : kind;
  const values = { supplier, event: kind.slice('event.'.length), number: attempt };
  return t.maybe(`story.${isAny}`, values) ?? kind;
}
