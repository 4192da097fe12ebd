import { Checkbox, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { useRequestKey } from '../../kit/request-key';
import { toast } from '../../kit/toasts';
import { useRefresh } from './merchant-view';

/** Adds a merchant with an empty wallet and opens its page. */
export function AddMerchant({ onClose }: { onClose: () => void }): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [sandbox, setSandbox] = useState(false);
  const key = useRequestKey({ name, sandbox });
  const add = async (): Promise<void> => {
    const { id } = await ask(() =>
      client.POST('/api/merchants', {
        params: { header: { 'Idempotency-Key': key } },
        body: { name: name.trim(), sandbox },
      }),
    );
    toast(t('merchants.added', { name: name.trim() }));
    await refresh(id);
    await navigate({ to: '/merchants/$id', params: { id: String(id) } });
  };
  return (
    <Confirm
      title={t('merchants.add')}
      verb={t('merchants.addVerb')}
      isHarmless
      isReady={name.trim() !== ''}
      isRepeatable
      onConfirm={add}
      onClose={onClose}
    >
      <TextInput
        label={t('merchants.name')}
        required
        maxLength={128}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        label={t('merchants.addSandbox')}
        description={t('merchants.addSandboxHint')}
        checked={sandbox}
        onChange={(event) => setSandbox(event.currentTarget.checked)}
      />
    </Confirm>
  );
}
