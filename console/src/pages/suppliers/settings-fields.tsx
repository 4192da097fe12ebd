import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Pairs } from '../../kit/settings-form';
import { isWhole, type Adapter, type Draft } from './settings-draft';
import classes from './settings.module.css';

interface FieldsProps {
  draft: Draft;
  adapters: readonly Adapter[];
  adapter: Adapter;
  isNew: boolean;
  /** The names of the stored credentials. */
  stored: readonly string[];
  onChange: (changes: Partial<Draft>) => void;
}

type Typed = { currentTarget: { value: string } };

type TextMember = 'code' | 'base_url' | 'timeout_ms' | 'max_in_flight' | 'low_balance' | 'reason';

const textOf =
  ({ draft, onChange }: Pick<FieldsProps, 'draft' | 'onChange'>) =>
  (name: TextMember) => ({
    value: draft[name],
    autoComplete: 'off',
    onChange: ({ currentTarget: { value } }: Typed) => onChange({ [name]: value }),
  });

/** Resets the fields that mean nothing to another adapter. */
const ADAPTER_FIELDS = { base_url: '', low_balance: '', credentials: {}, removed: [], options: {} };

/** The fields for address, credentials, options and limits of a supplier. */
export function SettingsFields(props: FieldsProps): ReactNode {
  const t = useT();
  const { draft, adapters, adapter, isNew, onChange } = props;
  const text = textOf(props);
  return (
    <>
      {isNew && (
        <TextInput
          label={t('suppliers.code')}
          description={t('suppliers.codeHint')}
          {...{ required: true, maxLength: 64, 'data-autofocus': true }}
          {...text('code')}
        />
      )}
      <NativeSelect
        label={t('suppliers.adapter')}
        data={adapters.map((each) => ({ value: each.adapter, label: each.name }))}
        value={draft.adapter}
        onChange={({ currentTarget: { value } }) => onChange({ ...ADAPTER_FIELDS, adapter: value })}
      />
      <TextInput
        label={t('suppliers.baseUrl')}
        description={adapter.base_url === null ? undefined : t('suppliers.baseUrlHint')}
        placeholder={adapter.base_url ?? 'https://api.acme.example/v1'}
        {...{ type: 'url', required: adapter.base_url === null, 'data-autofocus': isNew ? undefined : true }}
        {...text('base_url')}
      />
      <Credentials {...props} />
      <Options {...props} />
      <Limits {...props} />
      {!isNew && adapter.capabilities.includes('callbacks') && (
        <Checkbox
          label={t('suppliers.newCallbackUrl')}
          description={t('suppliers.newCallbackUrlHint')}
          checked={draft.new_callback_url}
          onChange={({ currentTarget: { checked } }) => onChange({ new_callback_url: checked })}
        />
      )}
      <TextInput
        label={t('confirm.reason')}
        description={t('confirm.reasonHint')}
        maxLength={500}
        {...text('reason')}
      />
    </>
  );
}

/** The timeout, the number of calls in flight, and the balance that counts as low. */
function Limits(props: FieldsProps): ReactNode {
  const t = useT();
  const text = textOf(props);
  const { adapter, draft } = props;
  const number = (name: 'timeout_ms' | 'max_in_flight') => ({
    inputMode: 'numeric' as const,
    error: !isWhole(draft[name]) && t('suppliers.wholeNumber'),
    ...text(name),
  });
  return (
    <>
      <Pairs>
        <TextInput label={t('suppliers.timeoutMs')} required {...number('timeout_ms')} />
        <TextInput
          label={t('suppliers.maxInFlight')}
          placeholder={t('suppliers.asWorkers')}
          {...number('max_in_flight')}
        />
      </Pairs>
      <TextInput
        label={t('suppliers.lowBalance')}
        description={t('suppliers.lowBalanceHint')}
        rightSection={adapter.currency}
        rightSectionWidth={56}
        inputMode="decimal"
        {...text('low_balance')}
      />
    </>
  );
}

/** The API never returns stored credentials, so an empty field keeps the stored value. */
function Credentials({ draft, adapter, stored, onChange }: FieldsProps): ReactNode {
  const t = useT();
  const type = (name: string, value: string): void =>
    onChange({
      credentials: { ...draft.credentials, [name]: value },
      removed: draft.removed.filter((each) => each !== name),
    });
  if (adapter.credentials.length === 0) return null;
  return (
    <fieldset className={classes.group}>
      <legend>{t('suppliers.credentials')}</legend>
      {adapter.credentials.map(({ name, secret, required, help }) => {
        const isStored = stored.includes(name);
        const field = {
          label: <span className="mono">{name}</span>,
          description: help,
          placeholder: isStored ? t('suppliers.kept') : undefined,
          required: required && !isStored,
          disabled: draft.removed.includes(name),
          // With "off", browsers would fill in a saved password.
          autoComplete: 'new-password',
          value: draft.credentials[name] ?? '',
          onChange: ({ currentTarget: { value } }: Typed) => type(name, value),
        };
        return (
          <div key={name} className={classes.credential}>
            {secret ? (
              <PasswordInput
                {...field}
                visibilityToggleButtonProps={{ 'aria-label': t('suppliers.showTyped', { name }) }}
              />
            ) : (
              <TextInput {...field} />
            )}
            {isStored && !required && (
              <Checkbox
                size="xs"
                label={t('suppliers.removeCredential', { name })}
                checked={draft.removed.includes(name)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange({
                    removed: checked ? [...draft.removed, name] : draft.removed.filter((each) => each !== name),
                    credentials: { ...draft.credentials, [name]: '' },
                  })
                }
              />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

function Options({ draft, adapter, onChange }: FieldsProps): ReactNode {
  const t = useT();
  return adapter.options.map(({ name, values, help }) => {
    const field = {
      label: <span className="mono">{name}</span>,
      description: help,
      value: draft.options[name] ?? '',
      onChange: ({ currentTarget: { value } }: Typed) => onChange({ options: { ...draft.options, [name]: value } }),
    };
    if (values === null) return <TextInput key={name} {...field} maxLength={255} autoComplete="off" />;
    const none = { value: '', label: t('suppliers.notGiven') };
    return (
      <NativeSelect key={name} {...field} data={[none, ...values.map((each) => ({ value: each, label: each }))]} />
    );
  });
}
