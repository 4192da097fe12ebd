import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Modal } from '../../kit/modal';
import confirmClasses from '../../kit/confirm.module.css';
import { SubmitError, useSubmit } from '../../kit/form';

interface DialogProps {
  title: string;
  verb: string;
  isReady?: boolean;
  onSubmit: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with a form. It closes after success and shows the error otherwise. */
export function FormDialog({ title, verb, isReady = true, onSubmit, onClose, children }: DialogProps): ReactNode {
  const t = useT();
  const isPhone = useMediaQuery('(max-width: 640px)');
  const { error, isBusy, submit } = useSubmit(async () => {
    await onSubmit();
    onClose();
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      fullScreen={isPhone}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form className={confirmClasses.body} onSubmit={submit}>
        {children}
        <SubmitError error={error} />
        <div className={confirmClasses.buttons}>
          <Button variant="default" onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isReady}>
            {verb}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
