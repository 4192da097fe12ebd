import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { Copy } from '../../kit/copy';
import { CsvButton } from '../../kit/csv-button';
import { Figures } from '../../kit/figures';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Age, Ago, Moment } from '../../kit/moment';
import { Facts, Page, Section } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { WithSidePanel } from '../../kit/side-panel';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { toast, toastFailure } from '../../kit/toasts';
import { useMay } from '../../session';
import { JobBanner } from '../reports/job-banner';
import { DeliveryPanel } from './delivery-panel';
import { deliveryFilters, DeliveryTable } from './delivery-table';
import { Replay } from './replay';
import { shareOf, stateOf, waitingText, type WebhookDetailView } from './webhook-view';
import classes from './webhook.module.css';

/** One webhook with its health, settings and deliveries. */
export function Webhook(): ReactNode {
  const t = useT();
  const { id } = useParams({ from: '/shell/webhooks/$id' });
  const { job } = useSearch({ from: '/shell/webhooks/$id' });
  const query = usePolled({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/webhooks/{id}', { params: { path: { id: Number(id) } }, signal })),
    every: EVERY.list,
  });
  const webhook = query.data;
  return (
    <Page
      title={t('webhook.title', { id })}
      heading={webhook ? <span className={classes.url}>{webhook.url}</span> : t('webhook.title', { id })}
      beside={
        webhook && (
          <>
            <Copy value={webhook.url} what={t('webhook.url')} shortcut="c" />
            <Status of={webhook.deleted_at === null ? stateOf(webhook) : 'deleted'} />
          </>
        )
      }
      actions={webhook && <Actions webhook={webhook} />}
    >
      {job !== undefined && <JobBanner id={job} />}
      <Answered query={query} rows={6}>
        {(loaded) => (
          <>
            <Health webhook={loaded} />
            <Section title={t('webhook.settings')}>
              <div className={classes.settings}>
                <Settings webhook={loaded} />
              </div>
            </Section>
            <Section title={t('deliveries.title')} actions={<DeliveriesCsv id={id} />}>
              <Deliveries id={id} />
            </Section>
          </>
        )}
      </Answered>
    </Page>
  );
}

function Actions({ webhook }: { webhook: WebhookDetailView }): ReactNode {
  const t = useT();
  const navigate = useNavigate({ from: '/webhooks/$id' });
  const { id } = webhook;
  const [isReplaying, setReplaying] = useState(false);
  const mayReplay = useMay('webhooks.replay');
  const isDeleted = webhook.deleted_at !== null;
  return (
    <>
      <LiveButton />
      {!isDeleted && <SendTest id={id} />}
      {mayReplay && webhook.status === 'active' && !isDeleted && (
        <Button size="xs" variant="default" onClick={() => setReplaying(true)}>
          {t('replay.open')}
        </Button>
      )}
      {isReplaying && (
        <Replay
          webhook={webhook}
          onStarted={(job) =>
            void navigate({
              to: '/webhooks/$id',
              params: { id: String(id) },
              search: (search) => ({ ...search, job: String(job) }),
            })
          }
          onClose={() => setReplaying(false)}
        />
      )}
    </>
  );
}

/** Sends a test event and opens its delivery. */
function SendTest({ id }: { id: number }): ReactNode {
  const t = useT();
  const navigate = useNavigate({ from: '/webhooks/$id' });
  const queries = useQueryClient();
  const mayTest = useMay('webhooks.test');
  const test = useMutation({
    mutationFn: () => ask(() => client.POST('/api/webhooks/{id}/test', { params: { path: { id } } })),
    onSuccess: async (delivery) => {
      toast(t('webhook.testSent'));
      await navigate({
        to: '/webhooks/$id',
        params: { id: String(id) },
        search: (search) => ({ ...search, delivery: String(delivery.id) }),
      });
      await queries.invalidateQueries({ queryKey: ['deliveries'] });
    },
    onError: (error) => toastFailure(error),
  });
  if (!mayTest) return null;
  return (
    <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
      {t('webhook.test')}
    </Button>
  );
}

function Health({ webhook }: { webhook: WebhookDetailView }): ReactNode {
  const { t, language } = useWords();
  const { last_success_at: success, failing_since: failing, waiting, day } = webhook;
  return (
    <Figures
      figures={[
        {
          name: t('webhook.lastSuccess'),
          value: success === null ? t('webhook.never') : <Ago at={success} />,
        },
        {
          name: t('webhook.failingFor'),
          value: failing === null ? '—' : <Age from={failing} />,
          tone: failing === null ? undefined : 'bad',
        },
        { name: t('webhook.waiting'), value: waitingText(waiting, language) },
        { name: t('webhook.dayLong', { count: day.ended }), value: shareOf(day) ?? '—' },
      ]}
    />
  );
}

function Settings({ webhook }: { webhook: WebhookDetailView }): ReactNode {
  const { t } = useWords();
  const { merchant, previous_secret_expires_at: until, deleted_at: deleted } = webhook;
  return (
    <Facts
      facts={[
        [
          t('order.merchant'),
          <Link key="merchant" to="/webhooks" search={{ merchant: String(merchant.id) }}>
            {merchant.name}
          </Link>,
        ],
        [
          t('webhook.events'),
          <span key="events" className="mono">
            {webhook.events.join(', ')}
          </span>,
        ],
        [t('webhook.retries'), t('webhook.retriesText', { count: webhook.max_retries, seconds: webhook.retry_delay })],
        [t('webhook.codes'), t(webhook.include_deliveries ? 'webhook.codesYes' : 'webhook.codesNo')],
        [
          t('webhook.secret'),
          <span key="secret" className="mono">
            {webhook.secret_hint}
          </span>,
        ],
        until ? [t('webhook.previousSecret'), <Moment key="until" at={until} />] : null,
        [t('order.created'), <Moment key="created" at={webhook.created_at} />],
        deleted ? [t('webhook.deleted'), <Moment key="deleted" at={deleted} />] : null,
      ]}
    />
  );
}

/** Downloads the deliveries that match the filters. */
function DeliveriesCsv({ id }: { id: string }): ReactNode {
  const { zone } = useWords();
  const mayExport = useMay('exports.run');
  const { status, event, from } = useSearch({ from: '/shell/webhooks/$id' });
  if (!mayExport) return null;
  const params = { webhook: id, status, event, from: from && startOfDay(from, zone) };
  return <CsvButton path="/api/deliveries.csv" query={params} />;
}

function Deliveries({ id }: { id: string }): ReactNode {
  const { t, zone } = useWords();
  const navigate = useNavigate({ from: '/webhooks/$id' });
  const { cursor, delivery, job: _job, ...filters } = useSearch({ from: '/shell/webhooks/$id' });
  const params = { ...filters, cursor, from: filters.from && startOfDay(filters.from, zone) };
  const query = usePolled({
    queryKey: ['deliveries', id, params],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/webhooks/{id}/deliveries', {
          params: { path: { id: Number(id) }, query: params },
          signal,
        }),
      ),
    every: cursor === undefined ? EVERY.list : EVERY.rest,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const change = (changes: Record<string, string | undefined>): void =>
    void navigate({ to: '/webhooks/$id', params: { id }, search: (search) => ({ ...search, ...changes }) });
  return (
    <>
      <Filters filters={deliveryFilters(t)} values={filters} />
      <WithSidePanel
        of={delivery}
        panel={(id) => <DeliveryPanel id={id} onClose={() => change({ delivery: undefined })} />}
      >
        <Answered query={query}>
          {({ data, next_cursor }) => (
            <>
              {data.length > 0 && (
                <DeliveryTable
                  rows={data}
                  isOfOne
                  isNarrow={delivery !== undefined}
                  linkOf={(row) => ({
                    to: '/webhooks/$id',
                    params: { id },
                    search: (search: object) => ({ ...search, delivery: String(row.id) }),
                  })}
                />
              )}
              {data.length === 0 && (
                <Empty title={t(isFiltered ? 'list.noMatch' : 'deliveries.none')}>
                  {t(isFiltered ? 'list.noMatchHint' : 'deliveries.noneHint')}
                </Empty>
              )}
              <Pages next={next_cursor} />
            </>
          )}
        </Answered>
      </WithSidePanel>
    </>
  );
}
