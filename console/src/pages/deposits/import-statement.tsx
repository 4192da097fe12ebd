import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client, isProblem } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { useLatest } from '../../kit/latest';
import { Facts } from '../../kit/page';
import { Failure, Loading } from '../../kit/states';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import classes from './deposits.module.css';

type StatementImport = components['schemas']['StatementImportDto'];

/** Sends the bytes unchanged, because the server finds out their encoding. */
const asCsv = (file: Blob) => ({
  headers: { 'Content-Type': 'text/csv' },
  body: '',
  bodySerializer: () => file,
});

/** Shows what a bank statement would do, and imports it then. */
export function ImportStatement({ channel, onClose }: { channel: string; onClose: () => void }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [seen, setSeen] = useState<StatementImport | Error | 'loading' | null>(null);
  /** The imported day whose texts the bank has changed, as the operator says. */
  const [textsOf, setTextsOf] = useState<string>();
  /** Whether the file is being imported. */
  const [isImporting, setImporting] = useState(false);
  const begin = useLatest();
  const look = async (chosen: File, day?: string): Promise<void> => {
    const isLatest = begin();
    const show = (answer: StatementImport | Error): void => {
      if (isLatest()) setSeen(answer);
    };
    setFile(chosen);
    setTextsOf(day);
    setSeen('loading');
    try {
      const request = { params: { query: { channel, accept_texts_of: day } }, ...asCsv(chosen) };
      show(await ask(() => client.POST('/api/statements/preview', request)));
    } catch (error) {
      show(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const preview = seen === null || seen === 'loading' || seen instanceof Error ? null : seen;
  const importFile = async (reason: string): Promise<void> => {
    if (file === null) return;
    setImporting(true);
    const query = { channel, accept_texts_of: textsOf, reason: reason || undefined };
    const request = { params: { query }, ...asCsv(file) };
    const done = await ask(() => client.POST('/api/statements/import', request))
      .catch((error: unknown) => {
        // The lines may be imported by now, and a new preview shows that.
        if (isProblem(error, 0)) void look(file, textsOf);
        throw error;
      })
      .finally(() => {
        setImporting(false);
        for (const key of ['channels', 'payments', 'deposits']) void queries.invalidateQueries({ queryKey: [key] });
      });
    if (done.refused !== null) {
      setSeen(done);
      throw new Error(t(`statements.refused.${done.refused as 'GAP'}`));
    }
    toast(t('statements.done', { booked: done.booked, waiting: done.waiting }));
  };
  return (
    <Confirm
      title={t('statements.importTo', { channel })}
      verb={t('statements.import')}
      isHarmless
      requiresReason={textsOf !== undefined}
      isReady={preview !== null && preview.refused === null && preview.new > 0}
      onConfirm={importFile}
      onClose={onClose}
    >
      <p>{t('statements.choose')}</p>
      <ChooseFile name={file?.name} isDisabled={isImporting} onChoose={(chosen) => void look(chosen)} />
      <div aria-live="polite">
        {seen === 'loading' && <Loading rows={4} />}
        {seen instanceof Error && <Failure error={seen} />}
        {preview && <Preview preview={preview} />}
        {file && preview?.changed_texts_of && (
          <ChangedTexts of={preview.changed_texts_of} onAccept={(day) => void look(file, day)} />
        )}
        {preview?.refused === null && textsOf !== undefined && <p>{t('statements.acceptedTexts', { day: textsOf })}</p>}
      </div>
    </Confirm>
  );
}

interface ChooseFileProps {
  name: string | undefined;
  /** While a file is imported, what the dialog shows is about that file. */
  isDisabled: boolean;
  onChoose: (file: File) => void;
}

function ChooseFile({ name, isDisabled, onChoose }: ChooseFileProps): ReactNode {
  const t = useT();
  return (
    <label className={classes.file}>
      <span className={classes.choose}>{t('statements.file')}</span>
      <span className="muted">{name}</span>
      <input
        type="file"
        className="hidden"
        disabled={isDisabled}
        accept=".csv,text/csv,text/plain"
        onChange={({ currentTarget: input }) => {
          const [chosen] = input.files ?? [];
          // Otherwise the browser would report no change when the operator chooses the same file again.
          input.value = '';
          if (chosen) onChoose(chosen);
        }}
      />
    </label>
  );
}

/** Lets the operator say that the bank has changed the texts of an imported day. */
function ChangedTexts({ of: day, onAccept }: { of: string; onAccept: (day: string) => void }): ReactNode {
  const t = useT();
  return (
    <>
      <p>{t('statements.changedTexts', { day })}</p>
      <Button variant="default" size="xs" onClick={() => onAccept(day)}>
        {t('statements.acceptTexts', { day })}
      </Button>
    </>
  );
}

function Preview({ preview }: { preview: StatementImport }): ReactNode {
  const t = useT();
  const { refused, problems, days_without_lines: days } = preview;
  if (refused !== null) {
    return (
      <div className={classes.refused} role="alert">
        <p>
          <strong>{refused}</strong> · {t(`statements.refused.${refused as 'GAP'}`)}
        </p>
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
    );
  }
  return (
    <div className={classes.preview}>
      <Facts
        facts={[
          [t('statements.lines'), t('statements.linesOf', { new: preview.new, repeated: preview.repeated })],
          [t('statements.in'), `${preview.in} · ${formatAmount(preview.in_amount)} THB`],
          [t('statements.booked'), preview.booked],
          [t('statements.waiting'), preview.waiting],
          // By a slip or by the vendor.
          preview.linked === 0 ? null : [t('statements.linked'), preview.linked],
          [t('statements.ignored'), preview.ignored],
          [t('statements.out'), `${preview.out} · ${formatAmount(preview.out_amount)} THB`],
          preview.opening === null || preview.closing === null
            ? null
            : [t('statements.balance'), `${formatAmount(preview.opening)} → ${formatAmount(preview.closing)} THB`],
        ]}
      />
      {days.length > 0 && (
        <p role="alert">
          {t('statements.daysWithoutLines', { days: [...new Set([days[0], days.at(-1)])].join(' – ') })}
        </p>
      )}
      <p>{t(preview.new === 0 ? 'statements.nothingNew' : 'statements.consequence')}</p>
    </div>
  );
}
