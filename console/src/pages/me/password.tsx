import { Button, PasswordInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { SubmitError, useSubmit } from '../../kit/form';
import { toast } from '../../kit/toasts';
import { SHORTEST_PASSWORD } from '../sign-in/set-password';
import classes from './me.module.css';

export function Password(): ReactNode {
  const t = useT();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    await ask(() => client.POST('/api/me/password', { body: { password: current, new_password: next } }));
    setCurrent('');
    setNext('');
    toast(t('me.passwordChanged'));
  });
  const toggle = { 'aria-label': t('login.showPassword') };
  return (
    <form className={classes.form} onSubmit={submit}>
      <PasswordInput
        label={t('me.currentPassword')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={toggle}
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <PasswordInput
        label={t('setPassword.new')}
        description={t('setPassword.rules', { count: SHORTEST_PASSWORD })}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={SHORTEST_PASSWORD}
        visibilityToggleButtonProps={toggle}
        value={next}
        onChange={(event) => setNext(event.currentTarget.value)}
      />
      <SubmitError error={error} />
      <Button type="submit" size="sm" variant="default" loading={isBusy} className={classes.submit}>
        {t('me.changePassword')}
      </Button>
    </form>
  );
}
