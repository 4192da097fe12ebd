import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { readAmount } from '../../kit/amount';

interface AmountFieldProps {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  /** The error of a valid amount that is not allowed. */
  problem?: string | undefined;
}

/** A field for money as people type it, such as `1,240.50`. */
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
