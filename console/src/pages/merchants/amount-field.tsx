import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { readAmount } from '../../kit/amount';

interface AmountFieldProps {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  /** What is wrong with an amount that can be read. */
  problem?: string | undefined;
}

/** Money as people type it, such as `1,240.50`. */
export function AmountField({ label, description, value, onChange, problem }: AmountFieldProps): ReactNode {
  const t = useT();
  const isRead = value.trim() === '' || readAmount(value) !== null;
  return (
    <TextInput
      label={`${label} · THB`}
      description={description}
      error={isRead ? problem : t('amount.unreadable')}
      required
      withAsterisk={false}
      inputMode="decimal"
      autoComplete="off"
      data-autofocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
