import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';

/** Lets an operator accept any balance. Dialogs show it once the balance has changed between two requests. */
export function AnyBalance({
  accepts,
  onChange,
}: {
  accepts: boolean;
  onChange: (accepts: boolean) => void;
}): ReactNode {
  const t = useT();
  return (
    <Checkbox
      label={t('move.whatever')}
      description={t('move.whateverHint')}
      checked={accepts}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
