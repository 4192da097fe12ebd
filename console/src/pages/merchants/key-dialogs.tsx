import { NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { useRequestKey } from '../../kit/request-key';
import { toast } from '../../kit/toasts';
import { useRefresh, type KeyView, type MerchantView } from './merchant-view';

interface KeyDialogProps {
  merchant: Pick<MerchantView, 'id' | 'name'>;
  apiKey: KeyView;
  onClose: () => void;
}

/** The choices for how long both keys work, in seconds. */
const OVERLAPS = [3_600, 86_400, 604_800, 0] as const;

/** Issues a new key. The old key keeps working for the chosen time. */
export function RotateKey({
  merchant,
  apiKey,
  onIssued,
  onClose,
}: KeyDialogProps & { onIssued: (key: string) => void }): ReactNode {
  const t = useT();
  const refresh = useRefresh();
  const [overlap, setOverlap] = useState<number>(OVERLAPS[1]);
  const requestKey = useRequestKey({ overlap });
  const rotate = async (): Promise<void> => {
    const { key } = await ask(() =>
      client.POST('/api/merchants/{id}/keys/{key}/rotation', {
        params: { path: { id: merchant.id, key: apiKey.id }, header: { 'Idempotency-Key': requestKey } },
        body: { overlap_seconds: overlap },
      }),
    );
    onIssued(key);
    await refresh(merchant.id);
  };
  return (
    <Confirm
      title={t('keys.rotateWhich', { prefix: apiKey.prefix })}
      verb={t('keys.rotate')}
      typed={merchant.name}
      isRepeatable
      onConfirm={rotate}
      onClose={onClose}
    >
      <p>{t('keys.rotateConsequence', { name: merchant.name })}</p>
      <NativeSelect
        label={t('keys.overlap')}
        data={OVERLAPS.map((each) => ({ value: String(each), label: t(`keys.overlap.${each}`) }))}
        value={String(overlap)}
        onChange={(event) => setOverlap(Number(event.currentTarget.value))}
      />
    </Confirm>
  );
}

/** Revokes a key permanently. */
export function RevokeKey({ merchant, apiKey, onClose }: KeyDialogProps): ReactNode {
  const t = useT();
  const refresh = useRefresh();
  const revoke = async (reason: string): Promise<void> => {
    const params = { path: { id: merchant.id, key: apiKey.id }, query: { reason } };
    await ask(() => client.DELETE('/api/merchants/{id}/keys/{key}', { params }));
    toast(t('keys.revoked', { prefix: apiKey.prefix }));
    await refresh(merchant.id);
  };
  return (
    <Confirm
      title={t('keys.revokeWhich', { prefix: apiKey.prefix })}
      verb={t('keys.revoke')}
      requiresReason
      typed={merchant.name}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{t('keys.revokeConsequence', { name: merchant.name })}</p>
    </Confirm>
  );
}
