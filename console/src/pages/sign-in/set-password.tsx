import { Button } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Empty } from '../../kit/states';
import { SubmitError, useSubmit } from '../../kit/form';
import { NewPassword } from '../../kit/secret-fields';
import { toast } from '../../kit/toasts';
import { Frame } from './frame';
import classes from './frame.module.css';

/** The page of the link from an administrator. The token is behind the `#`, so that no log contains it. */
export function SetPassword(): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const token = useRouterState({ select: ({ location }) => location.hash });
  const [password, setPassword] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    await ask(() => client.POST('/api/set-up', { body: { token, password } }));
    toast(t('setPassword.done'));
    await navigate({ to: '/login', search: {}, replace: true });
  });
  if (token === '') {
    return (
      <Frame title={t('setPassword.title')}>
        <Empty title={t('setPassword.noToken')}>{t('setPassword.askForLink')}</Empty>
      </Frame>
    );
  }
  return (
    <Frame title={t('setPassword.title')}>
      <form className={classes.form} onSubmit={submit}>
        <NewPassword value={password} onChange={setPassword} />
        <SubmitError error={error} />
        <Button type="submit" loading={isBusy} fullWidth>
          {t('setPassword.submit')}
        </Button>
      </form>
    </Frame>
  );
}
