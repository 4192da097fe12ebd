import { Link, type LinkProps } from '@tanstack/react-router';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { formatDuration } from '../../i18n/moments';
import { useWords, type Translate } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { EVERY, usePolled } from '../../kit/live';
import { Section } from '../../kit/page';
import { Failure, failureOf, Loading } from '../../kit/states';
import type { components } from '../../schema';
import { useMay } from '../../session';
import { isOld, useChannels, usePaymentsFor } from '../deposits/deposit-view';
import { useRequestsForMe } from '../approvals/approval-view';
import { useJobs } from '../reports/use-jobs';
import { useNow, useSuppliers } from './figures-now';
import classes from './home.module.css';

type Job = components['schemas']['JobDto'];
type Supplier = components['schemas']['ListedSupplierDto'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_AUDIT_AGE_MS = 7 * DAY_MS;
/** Warn when a deposit at a supplier lasts for less time than this. */
export const MIN_DEPOSIT_HOURS = 24;
const MAX_WEBHOOKS = 100;
/** The alert `TopupBackupOld` has the same limit: a day, and some time, because one dump takes longer than another. */
const MAX_BACKUP_AGE_SECONDS = 26 * 3_600;

interface Need {
  text: string;
  /** The page for the task. Absent if the console can't do it. */
  link?: LinkProps;
  /** Whether it is urgent. Urgent tasks come first. */
  isBad?: boolean;
}

/** The tasks that one query yields, and the query. */
interface NeedsOfQuery {
  needs: Need[];
  query: UseQueryResult;
}

/**
 * The tasks for operators, urgent ones first, with links. Says that there are none only after all queries have
 * answered.
 */
export function NeedsYou(): ReactNode {
  const { t } = useWords();
  const { needs, queries } = useNeeds();
  const enabled = queries.filter(({ isEnabled }) => isEnabled);
  const failed = enabled.filter((query) => failureOf(query) !== null);
  const failure = failed[0] && failureOf(failed[0]);
  const isKnown = enabled.every(({ data }) => data !== undefined);
  return (
    <Section title={t('home.needs')}>
      <ul className={classes.needs}>
        {needs
          .toSorted((one, other) => Number(other.isBad ?? false) - Number(one.isBad ?? false))
          .map(({ text, link, isBad = false }) => (
            <li key={text} data-bad={isBad}>
              {link ? <Link {...link}>{text}</Link> : text}
            </li>
          ))}
      </ul>
      {failure ? (
        <Failure error={failure} onRetry={() => failed.forEach(({ refetch }) => void refetch())} />
      ) : (
        needs.length === 0 && (isKnown ? <p className="muted">{t('home.needsNothing')}</p> : <Loading rows={2} />)
      )}
    </Section>
  );
}

function useNeeds(): { needs: Need[]; queries: UseQueryResult[] } {
  const { t, language } = useWords();
  const now = useNow();
  const suppliers = useSupplierNeeds();
  const approvals = useRequestsForMe();
  const webhooks = useWebhookNeeds();
  const audit = useAuditNeeds();
  const deposits = useDepositNeeds();
  const needs = [
    ...suppliers.needs,
    ...deposits.needs,
    ...counted(approvals.count, (count) => ({
      text: t('home.needsApproval', { count }),
      link: { to: '/approvals', search: { status: 'open' } },
    })),
    ...counted(now.data?.units_review, (count) => ({
      text: t('home.needsReview', { count }),
      link: { to: '/review', search: { state: 'review' } },
    })),
    ...counted(now.data?.units_unknown, (count) => ({
      text: t('home.needsDoubt', {
        count,
        duration: formatDuration((now.data?.units_unknown_oldest_seconds ?? 0) * 1000, language),
      }),
      link: { to: '/review', search: { state: 'unknown' } },
    })),
    ...counted(now.data?.supplier_reversals_open, (count) => ({
      text: t('home.needsReversals', { count }),
      link: { to: '/reversals', search: { open: 'true' } },
    })),
    ...webhooks.needs,
    ...counted(now.data?.wallets_below_alert, (count) => ({
      text: t('home.needsWallets', { count }),
      link: { to: '/merchants', search: { low: 'true' } },
    })),
    ...audit.needs,
    ...backupNeeds(now.data?.backup_age_seconds, t, language),
  ];
  return { needs, queries: [suppliers.query, approvals.query, now, webhooks.query, audit.query, ...deposits.queries] };
}

const counted = (count: number | null | undefined, make: (count: number) => Need): Need[] =>
  count ? [make(count)] : [];

/** @param seconds since the last backup was completed; null where the service makes no backups. */
function backupNeeds(seconds: number | null | undefined, t: Translate, language: string): Need[] {
  if (seconds === null || seconds === undefined || seconds <= MAX_BACKUP_AGE_SECONDS) return [];
  return [{ text: t('home.backupOld', { duration: formatDuration(seconds * 1000, language) }), isBad: true }];
}

function useSupplierNeeds(): NeedsOfQuery {
  const { t, language } = useWords();
  const query = useSuppliers();
  const suppliers = query.data?.data ?? [];
  return { needs: suppliers.flatMap((supplier) => needsOf(supplier, t, language)), query };
}

function needsOf(supplier: Supplier, t: Translate, language: string): Need[] {
  const { code, state, pause, balance, balance_lasts_hours: hours } = supplier;
  const link: LinkProps = { to: '/suppliers/$code', params: { code }, search: {} };
  const named = { supplier: code };
  if (state === 'refusing') return [{ text: t('home.supplierRefuses', named), link, isBad: true }];
  const reason = pause && (pause.detail ?? t.maybe(`home.pause.${pause.reason}`) ?? pause.reason);
  const left = balance && `${formatAmount(balance.amount)} ${balance.currency}`;
  const lasts =
    hours !== null && hours < MIN_DEPOSIT_HOURS
      ? [
          {
            text: t('home.balanceLasts', { ...named, duration: formatDuration(hours * HOUR_MS, language) }),
            link,
          },
        ]
      : [];
  return [
    ...(reason === null ? [] : [{ text: t('home.supplierPaused', { ...named, reason }), link }]),
    ...(balance?.low ? [{ text: t('home.balanceLow', { ...named, left: left ?? '' }), link }] : lasts),
  ];
}

/** Payments for which an operator must decide, and channels whose statements do not arrive. */
function useDepositNeeds(): { needs: Need[]; queries: UseQueryResult[] } {
  const { t, language } = useWords();
  const [waiting, cases, channels] = [usePaymentsFor('waiting'), usePaymentsFor('cases'), useChannels()];
  const ageAt = (nowMs: number, at: string): string => formatDuration(nowMs - Date.parse(at), language);
  const [oldest] = waiting.data ?? [];
  const ofChannels = (channels.data?.data ?? []).flatMap((channel): Need[] => {
    const { code, pause_reason: why, refused, imported_at: at } = channel;
    const link: LinkProps = { to: '/channels/$code', params: { code } };
    const named = { channel: code };
    return [
      ...(why !== null ? [{ text: t('home.channelPaused', named), link, isBad: true }] : []),
      ...(refused === null
        ? []
        : [{ text: t('home.statementRefused', { ...named, code: refused }), link, isBad: true }]),
      ...(at !== null && isOld(channel)
        ? [{ text: t('home.statementOld', { ...named, duration: ageAt(channels.dataUpdatedAt, at) }), link }]
        : []),
    ];
  });
  const needs = [
    ...counted(waiting.data?.length, (count) => ({
      text: t('home.needsPayments', { count, duration: ageAt(waiting.dataUpdatedAt, oldest?.seen_at ?? '') }),
      link: { to: '/payments', search: {} },
    })),
    ...counted(cases.data?.length, (count) => ({
      text: t('home.needsCases', { count }),
      link: { to: '/payments', search: { which: 'cases' } },
      isBad: true,
    })),
    ...ofChannels,
  ];
  return { needs, queries: [waiting, cases, channels] };
}

/** Webhooks that have failed for an hour or more without a success. */
function useWebhookNeeds(): NeedsOfQuery {
  const { t } = useWords();
  const query = usePolled({
    queryKey: ['webhooks', 'failing'],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/webhooks', {
          params: { query: { status: 'failing', limit: MAX_WEBHOOKS } },
          signal,
        }),
      ),
    every: EVERY.rest,
  });
  const needs = counted(query.data?.data.length, (count) => ({
    text: t('home.needsWebhooks', { count }),
    link: { to: '/webhooks', search: { status: 'failing' } },
  }));
  return { needs, query };
}

/** Whether the last audit failed or is too old. Only for operators who may run audits. */
function useAuditNeeds(): NeedsOfQuery {
  const { t, language } = useWords();
  const query = useJobs('audit', useMay('audit.run'));
  const last = query.data?.data.find(({ state }) => state === 'succeeded');
  return { needs: last ? needsAfter(last, query.dataUpdatedAt, t, language) : [], query };
}

function needsAfter(audit: Job, nowMs: number, t: Translate, language: string): Need[] {
  if (audit.ok === false) {
    const link: LinkProps = { to: '/audit', search: { job: String(audit.id) } };
    return [{ text: t('home.auditFailed'), link, isBad: true }];
  }
  const ageMs = nowMs - Date.parse(audit.started_at);
  if (ageMs < MAX_AUDIT_AGE_MS) return [];
  return [{ text: t('home.auditOld', { duration: formatDuration(ageMs, language) }), link: { to: '/audit' } }];
}
