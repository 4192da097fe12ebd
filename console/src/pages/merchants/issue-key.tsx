import { Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { addDays, startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { DayInput } from '../../kit/day-input';
import { Confirm } from '../../kit/confirm';
import { useRequestKey } from '../../kit/request-key';
import { useRefresh, type MerchantView } from './merchant-view';

interface IssueKeyProps {
  merchant: Pick<MerchantView, 'id' | 'name'>;
  onIssued: (key: string) => void;
  onClose: () => void;
}

/** Issues a key, optionally limited to networks and to a last day. */
export function IssueKey({ merchant: { id, name: merchant }, onIssued, onClose }: IssueKeyProps): ReactNode {
  const t = useT();
  const { zone } = useWords();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [networks, setNetworks] = useState('');
  const [until, setUntil] = useState<string | null>('');
  const requestKey = useRequestKey({ name, networks, until });
  const issue = async (): Promise<void> => {
    const allowed = networks.split(/[\s,]+/).filter((each) => each !== '');
    const { key } = await ask(() =>
      client.POST('/api/merchants/{id}/keys', {
        params: { path: { id }, header: { 'Idempotency-Key': requestKey } },
        body: {
          name: name.trim() || undefined,
          allowed_networks: allowed,
          expires_at: until ? startOfDay(addDays(until, 1), zone) : undefined,
        },
      }),
    );
    onIssued(key);
    await refresh(id);
  };
  return (
    <Confirm
      title={t('keys.issueTitle', { name: merchant })}
      verb={t('keys.issue')}
      isHarmless
      isReady={until !== null}
      isRepeatable
      onConfirm={issue}
      onClose={onClose}
    >
      <p>{t('keys.issueConsequence', { name: merchant })}</p>
      <TextInput
        label={t('keys.name')}
        description={t('keys.nameHint')}
        maxLength={128}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Textarea
        label={t('keys.networks')}
        description={t('keys.networksHint')}
        rows={2}
        value={networks}
        onChange={(event) => setNetworks(event.currentTarget.value)}
      />
      <DayInput label={t('keys.until')} description={t('keys.untilHint')} value={until} onChange={setUntil} />
    </Confirm>
  );
}
