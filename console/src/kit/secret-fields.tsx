import { PasswordInput, TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

const MIN_PASSWORD = 12;

/** A field for a new password that shows the rules for passwords. @param email of the account, if the page knows it. */
export function NewPassword({ value, onChange, email = '' }: FieldProps & { email?: string }): ReactNode {
  const t = useT();
  const [name = ''] = email.split('@');
  const rules = [
    t('setPassword.rules', { count: MIN_PASSWORD }),
    ...(name.length < 3 ? [] : [t('setPassword.notName', { name })]),
  ];
  return (
    <PasswordInput
      label={t('setPassword.new')}
      description={rules.join('. ')}
      autoComplete="new-password"
      required
      withAsterisk={false}
      minLength={MIN_PASSWORD}
      visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A field for the six digits of an authenticator app, or for a recovery code where the page allows it. */
export function CodeField({
  value,
  onChange,
  ...more
}: FieldProps & Pick<TextInputProps, 'description' | 'ref'>): ReactNode {
  const t = useT();
  return (
    <TextInput
      {...more}
      label={t('login.code')}
      autoComplete="one-time-code"
      inputMode="numeric"
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
