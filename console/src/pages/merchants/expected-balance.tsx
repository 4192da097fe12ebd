import { Checkbox } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { isProblem } from '../../api';
import { useT } from '../../i18n/words';

export interface ExpectedBalance {
  /** The balance without which the API must do nothing; undefined if the operator accepts any. */
  expected: string | undefined;
  /** Lets the operator accept any balance. Shows nothing before the balance has changed between two requests. */
  choice: ReactNode;
  /** Throws the error of a request. After a change of the balance, it says so in words, and offers the choice. */
  rethrow: (error: unknown) => never;
}

/** The balance that a movement of money expects. @param available the balance that the dialog shows. */
export function useExpectedBalance(available: string | undefined): ExpectedBalance {
  const t = useT();
  const [hasChanged, setChanged] = useState(false);
  const [acceptsAny, setAcceptsAny] = useState(false);
  return {
    expected: acceptsAny ? undefined : available,
    choice: hasChanged && (
      <Checkbox
        label={t('move.whatever')}
        description={t('move.whateverHint')}
        checked={acceptsAny}
        onChange={(event) => setAcceptsAny(event.currentTarget.checked)}
      />
    ),
    rethrow: (error) => {
      if (!isProblem(error, 409) || error.details[0]?.field !== 'expected_available') throw error;
      setChanged(true);
      throw new Error(t('move.changed'), { cause: error });
    },
  };
}
