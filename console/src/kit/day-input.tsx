import { ActionIcon, TextInput } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { day } from '../search-params';
import classes from './day-input.module.css';
import { CalendarIcon } from './icons';

interface DayInputProps {
  label: string;
  description?: string;
  /** A day such as `2026-11-22`, or empty. */
  value: string;
  /** Receives a complete day, or an empty text while the input is incomplete. */
  onChange: (value: string) => void;
}

/**
 * A field for a day, written year first in every browser. A native date field follows the language of the browser, so
 * one operator would read 03/04 as March and another as April. The native calendar still opens.
 */
export function DayInput({ label, description, value, onChange }: DayInputProps): ReactNode {
  const t = useT();
  const calendar = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const isWrong = draft !== null && draft.trim() !== '' && day(draft.trim()) === undefined;
  const take = (text: string): void => {
    setDraft(text);
    onChange(day(text.trim()) ?? '');
  };
  return (
    <TextInput
      className={classes.day}
      label={label}
      description={description}
      placeholder="YYYY-MM-DD"
      pattern="\s*\d{4}-\d{2}-\d{2}\s*"
      title={t('day.form')}
      error={isWrong && t('day.form')}
      autoComplete="off"
      value={draft ?? value}
      onChange={(event) => take(event.currentTarget.value)}
      onBlur={() => !isWrong && setDraft(null)}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('day.choose', { field: label })}
            onClick={() => calendar.current?.showPicker()}
          >
            <CalendarIcon />
          </ActionIcon>
          <input
            ref={calendar}
            type="date"
            className={classes.calendar}
            tabIndex={-1}
            aria-hidden="true"
            value={value}
            onChange={(event) => {
              setDraft(null);
              onChange(event.currentTarget.value);
            }}
          />
        </>
      }
    />
  );
}
