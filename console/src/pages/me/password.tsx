import { Button, PasswordInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { SubmitError, useSubmit } from '../../kit/form';
import { NewPassword } from '../../kit/secret-fields';
import { toast } from '../../kit/toasts';
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
  return (
    <form className={classes.form} onSubmit={submit}>
      <PasswordInput
        label={t('me.currentPassword')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }}
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <NewPassword value={next} onChange={setNext} />
      <SubmitError error={error} hasSecret />
      <Button type="submit" size="sm" variant="default" loading={isBusy} className={classes.submit}>
        {t('me.changePassword')}
      </Button>
    </form>
  );
}
