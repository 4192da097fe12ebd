import { PasswordInput, TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../i18n/words';

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

const MIN_PASSWORD = 12;

/** A password that somebody chooses, with the rules for it. */
export function NewPassword({ value, onChange }: FieldProps): ReactNode {
  const t = useT();
  return (
    <PasswordInput
      label={t('setPassword.new')}
      description={t('setPassword.rules', { count: MIN_PASSWORD })}
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

/** The six digits of an app; where the page says so, a recovery code in their place. */
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
