import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { formatDuration } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { Copy } from '../../kit/copy';
import { EVERY, usePolled } from '../../kit/live';
import { Ago, Moment } from '../../kit/moment';
import { Facts } from '../../kit/page';
import { SidePanel } from '../../kit/side-panel';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { toast, toastFailure } from '../../kit/toasts';
import { useMay } from '../../session';
import { AnswerName } from './delivery-table';
import type { AttemptView, DeliveryDetailView } from './webhook-view';
import classes from './delivery-panel.module.css';

interface DeliveryPanelProps {
  id: string;
  /** Whether the list has deliveries of all webhooks, so that the panel must name the webhook. */
  isOfAll?: boolean;
  onClose: () => void;
}

/** One delivery with its payload, its attempts and the answers of the merchant. */
export function DeliveryPanel({ id, isOfAll = false, onClose }: DeliveryPanelProps): ReactNode {
  const t = useT();
  const query = usePolled({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/deliveries/{id}', { params: { path: { id: Number(id) } }, signal })),
    every: (delivery) => (delivery?.status === 'pending' ? EVERY.openOrder : EVERY.rest),
  });
  return (
    <SidePanel title={t('delivery.title', { id })} onClose={onClose}>
      <Answered query={query} rows={6}>
        {(delivery) => <Delivery delivery={delivery} isOfAll={isOfAll} />}
      </Answered>
    </SidePanel>
  );
}

function Delivery({ delivery, isOfAll }: { delivery: DeliveryDetailView; isOfAll: boolean }): ReactNode {
  const t = useT();
  const body = JSON.stringify(delivery.body, null, 2);
  return (
    <>
      <DeliveryFacts delivery={delivery} isOfAll={isOfAll} />
      <Retry delivery={delivery} />
      <h3 className={classes.part}>{t('delivery.attempts')}</h3>
      {delivery.attempts.length === 0 ? (
        <p className="muted">{t('delivery.noAttempt')}</p>
      ) : (
        <ol className={classes.attempts}>
          {delivery.attempts.toReversed().map((attempt) => (
            <Attempt key={attempt.number} attempt={attempt} />
          ))}
        </ol>
      )}
      <h3 className={classes.part}>
        <span className={classes.copied}>
          {t('delivery.body')}
          <Copy value={body} what={t('delivery.body')} />
        </span>
      </h3>
      <pre className={classes.text}>{body}</pre>
    </>
  );
}

function DeliveryFacts({ delivery, isOfAll }: { delivery: DeliveryDetailView; isOfAll: boolean }): ReactNode {
  const t = useT();
  const { webhook, merchant, order_number: number, reference_id: reference, next_attempt_at: next } = delivery;
  return (
    <Facts
      facts={[
        [t('order.status'), <Status key="status" of={delivery.in_flight ? 'sending' : delivery.status} />],
        [
          t('webhook.event'),
          <span key="event" className="mono">
            {delivery.event}
          </span>,
        ],
        [
          t('delivery.eventId'),
          <span key="id" className={classes.copied}>
            <span className="mono">{delivery.event_id}</span>
            <Copy value={delivery.event_id} what={t('delivery.eventId')} />
          </span>,
        ],
        number
          ? [
              t('order.number'),
              <Link key="order" to="/orders/$number" params={{ number }} className="mono">
                {number}
              </Link>,
            ]
          : null,
        reference ? [t('order.reference'), reference] : null,
        isOfAll ? [t('order.merchant'), merchant.name] : null,
        isOfAll
          ? [
              t('webhook.url'),
              <Link key="webhook" to="/webhooks/$id" params={{ id: String(webhook.id) }}>
                {webhook.url}
              </Link>,
            ]
          : null,
        [t('order.created'), <Moment key="created" at={delivery.created_at} />],
        next ? [t('delivery.next'), <Ago key="next" at={next} />] : null,
      ]}
    />
  );
}

/** Makes one more attempt at once, even after a success. */
function Retry({ delivery: { id, in_flight: isInFlight } }: { delivery: DeliveryDetailView }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const mayReplay = useMay('webhooks.replay');
  const retry = useMutation({
    mutationFn: () => ask(() => client.POST('/api/deliveries/{id}/retry', { params: { path: { id } } })),
    onSuccess: async (after) => {
      queries.setQueryData(['delivery', String(id)], after);
      toast(t('delivery.retried'));
      await queries.invalidateQueries({ queryKey: ['deliveries'] });
    },
    onError: (error) => toastFailure(error),
  });
  if (!mayReplay) return null;
  return (
    <div className={classes.actions}>
      <Button
        size="xs"
        variant="default"
        loading={retry.isPending}
        disabled={isInFlight}
        onClick={() => retry.mutate()}
      >
        {t('delivery.retry')}
      </Button>
    </div>
  );
}

function Attempt({ attempt }: { attempt: AttemptView }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const { number, response_status: status, response_body: answer, duration_ms: ms } = attempt;
  return (
    <li className={classes.attempt}>
      <div className={classes.attemptHead}>
        <span>
          <span className="muted">{t('delivery.attempt', { number })}</span>{' '}
          <span className={classes.outcome} data-good={status !== null && status >= 200 && status < 300}>
            <AnswerName attempt={attempt} />
          </span>
        </span>
        <span className="muted number">
          <Moment at={attempt.started_at} form="short" zoned={false} /> · {formatDuration(ms, language)}
        </span>
      </div>
      {attempt.is_hidden && <p className="muted">{t('delivery.hidden')}</p>}
      {answer !== null && answer !== '' && <pre className={classes.text}>{answer}</pre>}
    </li>
  );
}
