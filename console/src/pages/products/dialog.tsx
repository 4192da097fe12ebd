import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { useIsLocked, useIsMounted } from '../../kit/in-flight';
import { ActionModal } from '../../kit/modal';
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
  const isMounted = useIsMounted();
  const { error, isBusy, submit } = useSubmit(async () => {
    await onSubmit();
    if (isMounted.current) onClose();
  });
  const isLocked = useIsLocked(isBusy);
  return (
    <ActionModal isLocked={isLocked} onClose={onClose} title={title}>
      <form className={confirmClasses.body} onSubmit={submit}>
        {children}
        <SubmitError error={error} mayBeDone />
        <div className={confirmClasses.buttons}>
          <Button variant="default" onClick={onClose} disabled={isLocked}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isReady}>
            {verb}
          </Button>
        </div>
      </form>
    </ActionModal>
  );
}
