import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client, isProblem } from '../../api';
import { useT } from '../../i18n/words';
import { Answered, Empty } from '../../kit/states';
import { SubmitError, useSubmit } from '../../kit/form';
import { NewPassword } from '../../kit/secret-fields';
import { enter } from '../../session';
import { Frame } from './frame';
import classes from './frame.module.css';

/** The page of the link from an administrator. The token is behind the `#`, so that no log contains it. */
export function SetPassword(): ReactNode {
  const t = useT();
  const token = useRouterState({ select: ({ location }) => location.hash });
  const account = useQuery({
    queryKey: ['set-up', token],
    queryFn: () => ask(() => client.POST('/api/set-up/account', { body: { token } })),
    enabled: token !== '',
    staleTime: Infinity,
  });
  const isOver = isProblem(account.error, 404);
  return (
    <Frame title={t('setPassword.title')}>
      {token === '' || isOver ? (
        <Empty title={t(isOver ? 'setPassword.over' : 'setPassword.noToken')}>{t('setPassword.askForLink')}</Empty>
      ) : (
        <Answered query={account} rows={3}>
          {({ email }) => <PasswordForm token={token} email={email} />}
        </Answered>
      )}
    </Frame>
  );
}

/** Sets the password, and signs in with it. */
function PasswordForm({ token, email }: { token: string; email: string }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  /** The last password that the service set, or may have set before its answer was lost. */
  const [perhapsSet, setPerhapsSet] = useState<string | null>(null);
  const { error, isBusy, submit } = useSubmit(async () => {
    let over: Error | null = null;
    try {
      await ask(() => client.POST('/api/set-up', { body: { token, password } }));
      setPerhapsSet(password);
    } catch (refused) {
      if (isProblem(refused) && refused.isPassing) setPerhapsSet(password);
      // The link works once. If this password may be set, only the sign-in is left. Any other one would be a failed sign-in.
      if (perhapsSet !== password || !isProblem(refused, 404)) throw refused;
      over = refused;
    }
    const session = await ask(() => client.POST('/api/session', { body: { email, password } })).catch(
      (refused: unknown) => {
        if (over === null || !isProblem(refused, 401)) throw refused;
        // The password is another one: another person used the link, or it has expired.
        setPerhapsSet(null);
        throw over;
      },
    );
    // With a second factor, the sign-in page asks for its code.
    if (session.state === 'code_required') return navigate({ to: '/login', search: {}, replace: true });
    await enter(queries, session);
    return navigate({ to: '/', replace: true });
  });
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label={t('login.email')}
        type="email"
        variant="filled"
        autoComplete="username"
        readOnly
        value={email}
      />
      <NewPassword value={password} onChange={setPassword} email={email} />
      <SubmitError error={error} hasSecret />
      <Button type="submit" loading={isBusy} fullWidth>
        {t('setPassword.submit')}
      </Button>
    </form>
  );
}
