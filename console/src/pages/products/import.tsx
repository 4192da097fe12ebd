import { Button, SegmentedControl, Textarea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type DragEvent, type ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { useLatest } from '../../kit/latest';
import { Page } from '../../kit/page';
import { Empty, Failure, Loading } from '../../kit/states';
import { toast } from '../../kit/toasts';
import { useMay } from '../../session';
import { importFile, previewFile, type CsvFile, type Kind, type Previewed } from './import-calls';
import { ImportPreview } from './import-preview';
import classes from './import.module.css';

type Look =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'failed'; error: Error }
  | { state: 'previewed'; file: CsvFile; preview: Previewed };

/** Imports a file of products or of merchants' own prices. The operator sees every change before it is applied. */
export function Import(): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const { kind: requestedKind } = useSearch({ from: '/shell/products/import' });
  const [mayProducts, mayPrices] = [useMay('products.import'), useMay('prices.set')];
  const kind: Kind = requestedKind ?? 'products';
  const isSmall = useMediaQuery('(max-width: 640px)');
  return (
    <Page title={t('import.title')}>
      {isSmall && <Empty title={t('import.smallScreen')}>{t('import.smallScreenHint')}</Empty>}
      {/* Hidden instead of removed, so that the preview survives when the screen turns. */}
      <div hidden={isSmall}>
        {mayProducts && mayPrices && (
          <SegmentedControl
            aria-label={t('import.kind')}
            data={[
              { value: 'products', label: t('import.kindProducts') },
              { value: 'prices', label: t('import.kindPrices') },
            ]}
            value={kind}
            onChange={(value) =>
              void navigate({ to: '.', search: value === 'prices' ? { kind: 'prices' } : {}, replace: true })
            }
          />
        )}
        <Importer key={kind} kind={kind} />
      </div>
    </Page>
  );
}

function Importer({ kind }: { kind: Kind }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const [look, setLook] = useState<Look>({ state: 'none' });
  const begin = useLatest();
  const loadPreview = async (file: CsvFile): Promise<void> => {
    const isLatest = begin();
    const show = (answer: Look): void => {
      if (isLatest()) setLook(answer);
    };
    setLook({ state: 'loading' });
    try {
      show({ state: 'previewed', file, preview: await previewFile(kind, file) });
    } catch (error) {
      show({ state: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  if (look.state === 'previewed') {
    const { file, preview } = look;
    return (
      <ImportPreview
        kind={kind}
        name={file.name}
        preview={preview}
        onAgain={() => setLook({ state: 'none' })}
        onStale={() => void loadPreview(file)}
        onImport={async () => {
          const done = await importFile(kind, file, preview.version);
          toast(t('import.done', { ...done }));
          await queries.invalidateQueries({ queryKey: ['products'] });
          void queries.invalidateQueries({ queryKey: ['product'] });
          setLook({ state: 'none' });
        }}
      />
    );
  }
  return (
    <>
      <p className={classes.hint}>{t(kind === 'products' ? 'import.hintProducts' : 'import.hintPrices')}</p>
      <Source kind={kind} onFile={(file) => void loadPreview(file)} />
      {look.state === 'loading' && <Loading rows={4} />}
      {look.state === 'failed' && <Failure error={look.error} onRetry={() => setLook({ state: 'none' })} />}
    </>
  );
}

function Source({ kind, onFile }: { kind: Kind; onFile: (file: CsvFile) => void }): ReactNode {
  const t = useT();
  const [text, setText] = useState('');
  const mayExport = useMay('exports.run');
  const choose = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file) onFile({ name: file.name, content: file });
  };
  return (
    <div className={classes.source}>
      <div
        className={classes.drop}
        onDragOver={(event: DragEvent) => event.preventDefault()}
        onDrop={(event: DragEvent) => {
          event.preventDefault();
          choose(event.dataTransfer.files);
        }}
      >
        <label className={classes.choose}>
          <span>{t('import.choose')}</span>
          <input
            type="file"
            accept=".csv,text/csv"
            aria-label={t('import.file')}
            className="hidden"
            onChange={({ currentTarget: input }) => {
              choose(input.files);
              // Otherwise the browser would report no change when the operator chooses the same file again.
              input.value = '';
            }}
          />
        </label>
        <span className="muted">{t('import.drop')}</span>
        {kind === 'products' && mayExport && (
          <a href="/api/products.csv" download>
            {t('import.template')}
          </a>
        )}
      </div>
      <Textarea
        label={t('import.paste')}
        classNames={{ input: 'mono' }}
        rows={8}
        value={text}
        placeholder={kind === 'products' ? 'sku,price' : 'merchant_id,sku,price'}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        size="xs"
        disabled={text.trim() === ''}
        onClick={() => onFile({ name: '', content: text })}
        className={classes.look}
      >
        {t('import.look')}
      </Button>
    </div>
  );
}
