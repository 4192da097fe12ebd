import { Button, Checkbox } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { CopyText } from '../../kit/copy';
import { Modal } from '../../kit/modal';
import classes from './keys.module.css';

/** A new key. The dialog closes only when the operator confirms to have stored it. */
export function KeyShown({ apiKey, onKept }: { apiKey: string; onKept: () => void }): ReactNode {
  const t = useT();
  const [isKept, setKept] = useState(false);
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={t('keys.shownTitle')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <div className={classes.shown}>
        <p>{t('keys.shownHint')}</p>
        <code className={`${classes.key} mono`}>{apiKey}</code>
        <div>
          <CopyText value={() => apiKey}>{t('keys.copy')}</CopyText>
        </div>
        <div className={classes.buttons}>
          <Checkbox
            label={t('keys.kept')}
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />
          <Button disabled={!isKept} onClick={onKept}>
            {t('action.close')}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
