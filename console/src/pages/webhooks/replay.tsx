import { NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { DELIVERED_EVENTS, DELIVERY_STATUSES } from '../../choices';
import { ask, client, isProblem } from '../../api';
import { useWords } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { useRequestKey } from '../../kit/request-key';
import { choice as known } from '../../search-params';
import type { WebhookDetailView } from './webhook-view';
import classes from './webhook.module.css';

/** Above this many deliveries the operator must type their number. */
const TYPED_ABOVE = 1_000;
const HOURS = [1, 24, 168, 720] as const;

type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
type DeliveredEvent = (typeof DELIVERED_EVENTS)[number];

interface Choice {
  status: DeliveryStatus;
  event: DeliveredEvent | null;
  since: string;
}

interface ReplayProps {
  webhook: WebhookDetailView;
  onStarted: (job: number) => void;
  onClose: () => void;
}

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

/** Counts the deliveries that match, and starts a job that attempts them once more. */
export function Replay({ webhook, onStarted, onClose }: ReplayProps): ReactNode {
  const { t } = useWords();
  const queries = useQueryClient();
  const filters = useSearch({ from: '/shell/webhooks/$id' });
  // A replay has one status and at most one event. So a filter with several of them presets nothing.
  const [choice, setChoice] = useState<Choice>(() => ({
    status: known(filters.status, DELIVERY_STATUSES) ?? 'failed',
    event: known(filters.event, DELIVERED_EVENTS) ?? null,
    since: hoursAgo(24),
  }));
  const preview = useQuery({
    queryKey: ['replay', webhook.id, choice],
    queryFn: () => ask(() => client.POST('/api/webhooks/replay/preview', { body: { webhook: webhook.id, ...choice } })),
    gcTime: 0,
    retry: false,
  });
  const key = useRequestKey({ webhook: webhook.id, ...choice });
  const count = preview.data?.count ?? 0;
  const start = async (): Promise<void> => {
    if (!preview.data) return;
    const { up_to } = preview.data;
    const body = { webhook: webhook.id, ...choice, up_to, expected_count: count };
    try {
      const { id } = await ask(() =>
        client.POST('/api/webhooks/replay', { params: { header: { 'Idempotency-Key': key } }, body }),
      );
      onStarted(id);
    } catch (error) {
      // The count may have changed, so show the new one beside the error. Without an answer, the job may run already:
      // the same request returns it.
      if (!isProblem(error, 0)) await preview.refetch();
      throw error;
    }
    await queries.invalidateQueries({ queryKey: ['deliveries'] });
  };
  return (
    <Confirm
      title={t('replay.title')}
      verb={t('replay.verb', { count })}
      typed={count > TYPED_ABOVE ? String(count) : undefined}
      isReady={count > 0 && !preview.isFetching}
      isRepeatable
      onConfirm={start}
      onClose={onClose}
      size="lg"
    >
      <Fields choice={choice} onChange={setChoice} />
      <p aria-live="polite">
        {preview.error
          ? preview.error.message
          : preview.data === undefined
            ? t('replay.counting')
            : count === 0
              ? t('replay.nothing')
              : t('replay.consequence', { count, url: webhook.url })}
      </p>
    </Confirm>
  );
}

function Fields({ choice, onChange }: { choice: Choice; onChange: (choice: Choice) => void }): ReactNode {
  const { t } = useWords();
  const [hours, setHours] = useState('24');
  return (
    <div className={classes.fields}>
      <NativeSelect
        label={t('order.status')}
        data={DELIVERY_STATUSES.map((value) => ({ value, label: t(`status.${value}`) }))}
        value={choice.status}
        onChange={({ currentTarget: { value } }) => onChange({ ...choice, status: value as DeliveryStatus })}
      />
      <NativeSelect
        label={t('webhook.event')}
        data={[
          { value: '', label: t('replay.anyEvent') },
          ...DELIVERED_EVENTS.map((value) => ({ value, label: value })),
        ]}
        value={choice.event ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...choice, event: value === '' ? null : (value as DeliveredEvent) })
        }
      />
      <NativeSelect
        label={t('replay.since')}
        data={HOURS.map((each) => ({ value: String(each), label: t(`replay.hours.${each}`) }))}
        value={hours}
        onChange={({ currentTarget: { value } }) => {
          setHours(value);
          onChange({ ...choice, since: hoursAgo(Number(value)) });
        }}
      />
    </div>
  );
}
