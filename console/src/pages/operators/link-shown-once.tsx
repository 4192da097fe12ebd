import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { CopyText } from '../../kit/copy';
import { Moment } from '../../kit/moment';
import type { Invitation } from './account';
import { Modal } from '../../kit/modal';
import classes from './operators.module.css';

interface LinkShownOnceProps {
  invitation: Invitation;
  onClose: () => void;
}

/** The link that sets a password. Nobody can show it again, so the dialog must not close by accident. */
export function LinkShownOnce({ invitation, onClose }: LinkShownOnceProps): ReactNode {
  const t = useT();
  const { operator, link, until } = invitation;
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={t('operators.linkTitle', { name: operator.name })}
    >
      <p>{t('operators.linkHint')}</p>
      <p className={classes.link}>
        <code className="mono">{link}</code>
      </p>
      <p className="muted">
        {t('operators.linkUntil')} <Moment at={until} />
      </p>
      <div className={classes.buttons}>
        <CopyText value={() => link}>{t('operators.copyLink')}</CopyText>
        <Button size="xs" onClick={onClose}>
          {t('operators.kept')}
        </Button>
      </div>
    </Modal>
  );
}
