import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { isAhead, isWithin, startOfDay } from '../../i18n/moments';
import { useWords } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { DayInput } from '../../kit/day-input';
import { toast } from '../../kit/toasts';

/** A longer list would take too long for a request. The API refuses it, too. */
const MAX_DAYS = 31;

/** Reads the vendor's list of payments now, as far back as the operator wants within 31 days. */
export function SyncChannel({ code, onClose }: { code: string; onClose: () => void }): ReactNode {
  const { t, zone } = useWords();
  const queries = useQueryClient();
  const [day, setDay] = useState<string | null>('');
  const since = day ? startOfDay(day, zone) : undefined;
  const isTooEarly = day ? !isWithin(day, MAX_DAYS, zone) : false;
  const isTooLate = day ? isAhead(day, zone) : false;
  const sync = async (): Promise<void> => {
    const request = { params: { path: { code } }, body: { since } };
    const { taken_back: back, ...counts } = await ask(() => client.POST('/api/channels/{code}/sync', request));
    await Promise.all(
      ['channels', 'payments', 'deposits'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
    );
    toast(t('channels.synced', { ...counts, back }));
    if (counts.unreadable > 0) toast(t('channels.syncedUnreadable', { unreadable: counts.unreadable }));
  };
  return (
    <Confirm
      title={t('channels.syncOne', { code })}
      verb={t('channels.sync')}
      isHarmless
      isReady={day !== null && !isTooEarly && !isTooLate}
      onConfirm={sync}
      onClose={onClose}
    >
      <p>{t('channels.syncConsequence')}</p>
      <DayInput
        label={t('channels.syncSince')}
        description={t('channels.syncSinceHint')}
        value={day}
        onChange={setDay}
      />
      {isTooEarly && <p role="alert">{t('channels.syncTooEarly')}</p>}
      {isTooLate && <p role="alert">{t('channels.syncAhead')}</p>}
    </Confirm>
  );
}
