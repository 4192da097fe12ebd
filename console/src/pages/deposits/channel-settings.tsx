import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { readAmount, writeAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { Changes, Pairs, SettingsForm } from '../../kit/settings-form';
import { Failure, Loading } from '../../kit/states';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import type { ChannelView } from './deposit-view';

type Adapter = components['schemas']['ChannelAdapterDto'];
const LIMITS = ['min', 'max', 'hold_above', 'priority'] as const;
type Limit = (typeof LIMITS)[number];

/** The contents of the form, as text. Stored credentials are never shown, so their fields begin empty. */
interface Draft {
  code: string;
  adapter: string;
  base_url: string;
  reason: string;
  new_callback_url: boolean;
  limits: Record<Limit, string>;
  options: Record<string, string>;
  credentials: Record<string, string>;
}

const draftOf = (channel: ChannelView | undefined): Draft => ({
  code: channel?.code ?? '',
  adapter: channel?.adapter ?? '',
  base_url: channel?.base_url ?? '',
  reason: '',
  new_callback_url: false,
  limits: {
    min: channel?.min ?? '',
    max: channel?.max ?? '',
    hold_above: channel?.hold_above ?? '',
    priority: String(channel?.priority ?? ''),
  },
  options: channel?.options ?? {},
  credentials: {},
});

/** Whether a limit can be sent. The API keeps what an empty one had. */
const isRead = (name: Limit, text: string): boolean =>
  text.trim() === '' || (name === 'priority' ? /^\d{1,4}$/.test(text.trim()) : readAmount(text) !== null);

/** What the form changes: names with their old and new values. The API keeps what an empty limit or address had. */
function changesOf(before: Draft, now: Draft, adapter: Adapter): [name: string, old: string, next: string][] {
  const kept = (old: string, next: string): string => next.trim() || old;
  const all = [
    ['base_url', before.base_url, kept(before.base_url, now.base_url)] as const,
    ['callback_url', '', now.new_callback_url ? '•••' : ''] as const,
    ...LIMITS.map((name) => [name, before.limits[name], kept(before.limits[name], now.limits[name])] as const),
    ...adapter.options.map(({ name }) => [name, before.options[name] ?? '', now.options[name] ?? ''] as const),
    ...adapter.credentials.map(({ name }) => [name, '', now.credentials[name] ? '•••' : ''] as const),
  ];
  return all.flatMap(([name, old, next]) => (old.trim() === next.trim() ? [] : [[name, old.trim(), next.trim()]]));
}

/** Adds or changes a channel. Shows the changes first. The API rejects them if another operator has saved meanwhile. */
export function ChannelSettings({ channel, onClose }: { channel?: ChannelView; onClose: () => void }): ReactNode {
  const t = useT();
  // Keep the state from when the form opened, because the API compares with its `updated_at`.
  const [stored] = useState(channel);
  const [draft, setDraft] = useState(() => draftOf(stored));
  const { data, error } = useQuery({
    queryKey: ['channel-adapters'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/channels/adapters', { signal })),
    staleTime: Infinity,
  });
  const save = useSave(stored);
  const adapter = data?.data.find((each) => each.adapter === (draft.adapter || data.data[0]?.adapter));
  const changes = adapter ? changesOf(draftOf(stored), draft, adapter) : [];
  const areRead = LIMITS.every((name) => isRead(name, draft.limits[name]));
  return (
    <Confirm
      title={stored ? t('channels.setOne', { code: stored.code }) : t('channels.add')}
      verb={t(stored ? 'channels.save' : 'channels.add')}
      isHarmless
      isReady={adapter !== undefined && draft.code.trim() !== '' && changes.length > 0 && areRead}
      onConfirm={async () => {
        if (adapter) await save(adapter, draft);
      }}
      onClose={onClose}
      size="lg"
    >
      {error && <Failure error={error} />}
      {!error && !(data && adapter) && <Loading rows={8} />}
      {data && adapter && (
        <Fields
          {...{ draft, adapter, adapters: data.data, stored }}
          onChange={(changed) => setDraft((before) => ({ ...before, ...changed }))}
        />
      )}
      {stored && (
        <Changes
          title={t('channels.changes')}
          none={t('channels.noChanges')}
          changes={changes.map(([name, old, next]) => ({ name, label: t.maybe(`channels.member.${name}`), old, next }))}
        />
      )}
    </Confirm>
  );
}

interface FieldsProps {
  draft: Draft;
  adapter: Adapter;
  adapters: readonly Adapter[];
  stored: ChannelView | undefined;
  onChange: (changes: Partial<Draft>) => void;
}

type Typed = { currentTarget: { value: string } };

function Fields({ draft, adapter, adapters, stored, onChange }: FieldsProps): ReactNode {
  const t = useT();
  const { limits, options } = draft;
  return (
    <SettingsForm>
      {!stored && (
        <TextInput
          label={t('channels.code')}
          description={t('channels.codeHint')}
          {...{ required: true, maxLength: 32, autoComplete: 'off', 'data-autofocus': true }}
          value={draft.code}
          onChange={({ currentTarget: { value } }: Typed) => onChange({ code: value })}
        />
      )}
      {adapters.length > 1 && (
        <NativeSelect
          label={t('channels.adapter')}
          disabled={stored !== undefined}
          data={adapters.map((each) => ({ value: each.adapter, label: each.name }))}
          value={adapter.adapter}
          onChange={({ currentTarget: { value } }: Typed) =>
            onChange({ adapter: value, base_url: '', options: {}, credentials: {} })
          }
        />
      )}
      <Vendor {...{ draft, adapter, stored, onChange }} />
      {adapter.options.map(({ name, help, values }) => {
        const field = {
          label: name,
          description: help,
          value: options[name] ?? '',
          onChange: ({ currentTarget: { value } }: Typed) => onChange({ options: { ...options, [name]: value } }),
        };
        if (values === null) return <TextInput key={name} {...field} autoComplete="off" />;
        return <NativeSelect key={name} {...field} data={[{ value: '', label: '–' }, ...values]} />;
      })}
      <Pairs>
        {LIMITS.map((name) => (
          <TextInput
            key={name}
            label={t(`channels.member.${name}`)}
            placeholder={stored ? String(stored[name]) : t('channels.byDefault')}
            error={!isRead(name, limits[name]) && t(name === 'priority' ? 'channels.wholeNumber' : 'channels.amount')}
            inputMode="decimal"
            autoComplete="off"
            value={limits[name]}
            onChange={({ currentTarget: { value } }: Typed) => onChange({ limits: { ...limits, [name]: value } })}
          />
        ))}
      </Pairs>
      <TextInput
        label={t('confirm.reason')}
        description={t('confirm.reasonHint')}
        maxLength={500}
        value={draft.reason}
        onChange={({ currentTarget: { value } }: Typed) => onChange({ reason: value })}
      />
    </SettingsForm>
  );
}

/** What the adapter needs for calls. The API never returns stored credentials, so an empty field keeps the stored value. */
function Vendor({ draft, adapter, stored, onChange }: Omit<FieldsProps, 'adapters'>): ReactNode {
  const t = useT();
  const { credentials, base_url: url } = draft;
  return (
    <>
      {adapter.base_url !== null && (
        <TextInput
          label={t('channels.baseUrl')}
          placeholder={stored?.base_url ?? adapter.base_url}
          type="url"
          autoComplete="off"
          value={url}
          onChange={({ currentTarget: { value } }: Typed) => onChange({ base_url: value })}
        />
      )}
      {adapter.credentials.map(({ name, help, required }) => {
        const isStored = stored?.credentials.includes(name) ?? false;
        return (
          <PasswordInput
            key={name}
            label={name}
            description={help}
            placeholder={isStored ? t('channels.kept') : undefined}
            required={required && !isStored}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }}
            value={credentials[name] ?? ''}
            onChange={({ currentTarget: { value } }: Typed) =>
              onChange({ credentials: { ...credentials, [name]: value } })
            }
          />
        );
      })}
      {stored && stored.callback_url !== null && (
        <Checkbox
          label={t('channels.newCallbackUrl')}
          description={t('channels.newCallbackUrlHint')}
          checked={draft.new_callback_url}
          onChange={({ currentTarget: { checked } }) => onChange({ new_callback_url: checked })}
        />
      )}
    </>
  );
}

function useSave(stored: ChannelView | undefined): (adapter: Adapter, draft: Draft) => Promise<void> {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async ({ adapter, options: fields }, { code: typed, limits, options, credentials, reason, ...more }) => {
    const code = typed.trim();
    const amountOf = (name: Limit): string | undefined => {
      const read = readAmount(limits[name]);
      return read === null ? undefined : writeAmount(read);
    };
    const priority = amountOf('priority');
    const given = Object.entries(credentials).filter(([, value]) => value !== '');
    await ask(() =>
      client.PUT('/api/channels/{code}', {
        params: { path: { code } },
        body: {
          adapter: adapter as 'promptpay',
          options: Object.fromEntries(fields.map(({ name }) => [name, options[name]?.trim() || null])),
          base_url: more.base_url.trim() || undefined,
          new_callback_url: more.new_callback_url || undefined,
          ...(given.length > 0 && { credentials: Object.fromEntries(given) }),
          min: amountOf('min'),
          max: amountOf('max'),
          hold_above: amountOf('hold_above'),
          priority: priority === undefined ? undefined : Number(priority),
          expected_updated_at: stored?.updated_at ?? null,
          reason: reason.trim() || undefined,
        },
      }),
    );
    toast(t('channels.saved', { code }));
    await queries.invalidateQueries({ queryKey: ['channels'] });
    if (!stored) await navigate({ to: '/channels/$code', params: { code } });
  };
}
