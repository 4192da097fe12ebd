import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../api';
import { useT } from '../i18n/words';
import { useSession } from '../session';
import { Modal } from '../kit/modal';
import { CompanyButton, useCompany } from '../pages/sign-in/company-button';
import classes from '../kit/confirm.module.css';

interface ConfirmAgainProps {
  onAnswer: (isConfirmed: boolean) => void;
}

/**
 * Asks for the code, or without a second factor for the password. Without either, the operator signs in by company
 * again.
 */
export default function ConfirmAgainDialog({ onAnswer }: ConfirmAgainProps): ReactNode {
  const t = useT();
  const session = useSession();
  const hasNeither = session?.second_factor === false && !session.has_password;
  return (
    <Modal
      opened
      onClose={() => onAnswer(false)}
      title={t('confirm.againTitle')}
      zIndex={300}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {hasNeither ? <ByCompany /> : <BySecret onAnswer={onAnswer} />}
    </Modal>
  );
}

function ByCompany(): ReactNode {
  const t = useT();
  const here = useRouterState({ select: ({ location }) => location.href });
  return (
    <div className={classes.body}>
      <p>{t('confirm.againCompany')}</p>
      <CompanyButton name={useCompany()?.name ?? null} next={here} />
    </div>
  );
}

function BySecret({ onAnswer }: ConfirmAgainProps): ReactNode {
  const t = useT();
  const hasCode = useSession()?.second_factor ?? false;
  const [value, setValue] = useState('');
  const [error, setError] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    try {
      const body = hasCode ? { code: value.trim() } : { password: value };
      await ask(() => client.POST('/api/session/confirm', { body }));
      onAnswer(true);
    } catch (caught) {
      setError(caught instanceof Error ? caught.message : String(caught));
      setValue('');
    }
  };
  return (
    <form
      className={classes.body}
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <p>{t(hasCode ? 'confirm.againCode' : 'confirm.againPassword')}</p>
      {hasCode ? (
        <TextInput
          label={t('login.code')}
          autoComplete="one-time-code"
          inputMode="numeric"
          data-autofocus
          error={error}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
      ) : (
        <PasswordInput
          label={t('login.password')}
          autoComplete="current-password"
          data-autofocus
          error={error}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
      )}
      <div className={classes.buttons}>
        <Button variant="default" onClick={() => onAnswer(false)}>
          {t('action.cancel')}
        </Button>
        <Button type="submit" disabled={value.trim() === ''}>
          {t('confirm.againVerb')}
        </Button>
      </div>
    </form>
  );
}
