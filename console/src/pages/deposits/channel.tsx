import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Moment } from '../../kit/moment';
import { Facts, Page, Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { toast, toastFailure } from '../../kit/toasts';
import { useMay } from '../../session';
import { LastImport } from './channels';
import { DepositTabs } from './deposit-tabs';
import type { ChannelView } from './deposit-view';
import { ChannelSettings, ImportStatement, SyncChannel } from './parts';
import { Statements } from './statements';
import classes from './deposits.module.css';

type Changing = 'pause' | 'resume' | 'remove';
type Dialog = 'set' | 'sync' | 'import' | Changing;

/** One channel with its settings and its bank statements. */
export function Channel(): ReactNode {
  const t = useT();
  const { code } = useParams({ from: '/shell/channels/$code' });
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const query = usePolled({
    queryKey: ['channels', code],
    queryFn: ({ signal }) => ask(() => client.GET('/api/channels/{code}', { params: { path: { code } }, signal })),
    every: EVERY.figures,
  });
  const mayImport = useMay('statements.import');
  const channel = query.data;
  const close = (): void => setDialog(null);
  return (
    <Page
      title={code}
      beside={channel && <Status of={`channel_${channel.status}`} />}
      actions={channel && <Actions channel={channel} onOpen={setDialog} />}
    >
      <DepositTabs />
      <Answered query={query}>
        {(loaded) => (
          <div className={classes.columns}>
            <Section
              title={t('statements.title')}
              actions={
                mayImport &&
                loaded.has_statements && (
                  <Button size="compact-sm" onClick={() => setDialog('import')}>
                    {t('statements.import')}
                  </Button>
                )
              }
            >
              <Statements channel={code} />
            </Section>
            <ChannelFacts channel={loaded} />
          </div>
        )}
      </Answered>
      {channel && dialog === 'set' && <ChannelSettings channel={channel} onClose={close} />}
      {dialog === 'sync' && <SyncChannel code={code} onClose={close} />}
      {dialog === 'import' && <ImportStatement channel={code} onClose={close} />}
      {(dialog === 'pause' || dialog === 'resume' || dialog === 'remove') && (
        <Change code={code} what={dialog} onClose={close} />
      )}
    </Page>
  );
}

function Actions({ channel, onOpen }: { channel: ChannelView; onOpen: (dialog: Dialog) => void }): ReactNode {
  const t = useT();
  const maySet = useMay('channels.set');
  const maySync = useMay('payments.decide');
  const { code, status, can_sync: canSync } = channel;
  const params = { path: { code } };
  const test = useMutation({
    mutationFn: () => ask(() => client.POST('/api/channels/{code}/test', { params })),
    onSuccess: ({ checks }) => {
      const wrong = checks.filter(({ ok }) => !ok).map(({ detail }) => detail);
      if (wrong.length === 0) toast(t('channels.testGood'));
      else toastFailure(wrong.join(' '));
    },
    onError: (error) => toastFailure(error),
  });
  const always = (
    <>
      <LiveButton />
      {maySync && canSync && (
        <Button size="xs" variant="default" onClick={() => onOpen('sync')}>
          {t('channels.sync')}
        </Button>
      )}
    </>
  );
  if (!maySet) return always;
  return (
    <>
      {always}
      <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        {t('channels.test')}
      </Button>
      <Button size="xs" variant="default" onClick={() => onOpen(status === 'inactive' ? 'resume' : 'pause')}>
        {t(status === 'inactive' ? 'channels.resume' : 'channels.pause')}
      </Button>
      <Button size="xs" variant="default" onClick={() => onOpen('remove')}>
        {t('channels.remove')}
      </Button>
      <Button size="xs" onClick={() => onOpen('set')}>
        {t('channels.set')}
      </Button>
    </>
  );
}

/** Pauses, resumes or removes the channel. */
function Change({ code, what, onClose }: { code: string; what: Changing; onClose: () => void }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { code } };
  const change = async (reason: string): Promise<void> => {
    if (what === 'pause') {
      await ask(() => client.POST('/api/channels/{code}/pause', { params, body: { reason } }));
    } else if (what === 'resume') {
      await ask(() => client.DELETE('/api/channels/{code}/pause', { params }));
    } else {
      await ask(() => client.DELETE('/api/channels/{code}', { params: { ...params, query: { reason } } }));
      await navigate({ to: '/channels' });
      queries.removeQueries({ queryKey: ['channels', code] });
    }
    toast(t(`channels.${what}Done`, { code }));
    await queries.invalidateQueries({ queryKey: ['channels'] });
  };
  return (
    <Confirm
      title={t(`channels.${what}One`, { code })}
      verb={t(`channels.${what}`)}
      isHarmless={what === 'resume'}
      requiresReason={what !== 'resume'}
      typed={what === 'remove' ? code : undefined}
      onConfirm={change}
      onClose={onClose}
    >
      <p>{t(`channels.${what}Consequence`, { code })}</p>
    </Confirm>
  );
}

function ChannelFacts({ channel }: { channel: ChannelView }): ReactNode {
  const t = useT();
  const { base_url: url, callback_url: callback, credentials, options, pause_reason: why } = channel;
  return (
    <Section title={t('channels.settings')}>
      <Facts
        facts={[
          [t('channels.adapter'), channel.adapter],
          why === null ? null : [t('channels.pausedWhy'), why],
          url === null ? null : [t('channels.baseUrl'), url],
          ...credentials.map(
            (name) =>
              [
                name,
                <span key={name} className="muted">
                  {t('channels.stored')}
                </span>,
              ] as const,
          ),
          ...Object.entries(options).map(
            ([name, value]) =>
              [
                name,
                <code key={name} className="mono">
                  {value}
                </code>,
              ] as const,
          ),
          [t('channels.min'), <Amount key="min" value={channel.min} />],
          [t('channels.max'), <Amount key="max" value={channel.max} />],
          [t('channels.holdAbove'), <Amount key="hold" value={channel.hold_above} />],
          [t('channels.priority'), channel.priority],
          [t('channels.imported'), <LastImport key="imported" channel={channel} />],
          channel.refused === null
            ? null
            : [t('channels.refused'), t(`statements.refused.${channel.refused as 'GAP'}`)],
          channel.covered_until === null
            ? null
            : [t('channels.covered'), <Moment key="covered" at={channel.covered_until} />],
          callback === null
            ? null
            : [
                t('channels.callback'),
                <code key="callback" className="mono">
                  {callback}
                </code>,
              ],
        ]}
      />
    </Section>
  );
}
