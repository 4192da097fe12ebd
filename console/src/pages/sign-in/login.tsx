import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { SubmitError, useSubmit } from '../../kit/form';
import { localPath } from '../../search-params';
import { enter, type Session } from '../../session';
import { CodeForm } from './code-form';
import { CompanyButton, useCompany } from './company-button';
import { Frame } from './frame';
import classes from './frame.module.css';

/** Sign-in by e-mail and password or by company, then the code of the second factor if there is one. */
export function Login(): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ strict: false });
  const [needsCode, setNeedsCode] = useState(false);
  const company = useCompany();
  const proceed = async (session: Session): Promise<void> => {
    if (session.state === 'code_required') {
      setNeedsCode(true);
      return;
    }
    await enter(queries, session);
    await navigate({ href: localPath(next), replace: true });
  };
  return (
    <Frame title={t(needsCode ? 'login.codeTitle' : 'login.title')}>
      {needsCode ? (
        <CodeForm onSession={proceed} onBack={() => setNeedsCode(false)} />
      ) : (
        <>
          <PasswordForm onSession={proceed} />
          {company !== null && (
            <div className={classes.other}>
              <p className={classes.or}>{t('login.or')}</p>
              <CompanyButton name={company.name} next={localPath(next)} />
            </div>
          )}
        </>
      )}
    </Frame>
  );
}

function PasswordForm({ onSession }: { onSession: (session: Session) => Promise<void> }): ReactNode {
  const t = useT();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    await onSession(await ask(() => client.POST('/api/session', { body: { email: email.trim(), password } })));
  });
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label={t('login.email')}
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label={t('login.password')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <SubmitError error={error} hasSecret />
      <Button type="submit" loading={isBusy} fullWidth>
        {t('login.submit')}
      </Button>
    </form>
  );
}
