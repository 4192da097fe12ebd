import { Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { SubmitError, useSubmit } from '../../kit/form';
import { toast } from '../../kit/toasts';
import classes from './note-form.module.css';

const MAX_NOTE = 2_000;

/** Adds a note to the order history. */
export function NoteForm({ number }: { number: string }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const { error, isBusy, submit } = useSubmit(async () => {
    await ask(() =>
      client.POST('/api/orders/{number}/notes', {
        params: { path: { number } },
        body: { text: note.trim() },
      }),
    );
    setNote('');
    toast(t('note.added'));
    await queries.invalidateQueries({ queryKey: ['order', number] });
  });
  return (
    <form className={classes.form} onSubmit={submit}>
      <Textarea
        aria-label={t('note.label')}
        placeholder={t('note.placeholder')}
        rows={note === '' ? 1 : 3}
        maxLength={MAX_NOTE}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <SubmitError error={error} mayBeDone />
      {note.trim() !== '' && (
        <Button type="submit" size="xs" loading={isBusy} className={classes.submit}>
          {t('note.submit')}
        </Button>
      )}
    </form>
  );
}
