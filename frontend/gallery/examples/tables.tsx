import { Page, TableButton } from '@insight-host/kit';
import {
  EditCell,
  EvidencePicture,
  Modes,
  rowsOf,
  Table,
  TableDialog,
  TableFiles,
  turned,
  type Column,
  type Sort,
} from '@insight-host/kit/table';
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Given } from '../given';
import { sampleContext } from '../samples';

interface Row {
  readonly run: string;
  readonly loss: number;
}
const ROWS: readonly Row[] = Array.from({ length: 500 }, (_, i) => ({ run: `run_${i}`, loss: 1 / (i + 1) }));
const RUN: Column<Row> = { key: 'run', title: 'Run', kind: 'text', width: 120, cell: ({ run }) => ({ content: run }) };
const LOSS: Column<Row> = {
  key: 'loss',
  title: 'Loss',
  kind: 'number',
  width: 120,
  grows: true,
  cell: ({ loss }) => ({ content: loss.toFixed(4), title: String(loss) }),
};
const DATA = { head: ['step', 'loss'], rows: ROWS.slice(0, 30).map(({ loss }, step) => [step, loss]) };
const remark = signal('click to edit');

export function Lines(): JSX.Element {
  const by = useSignal<readonly Sort[]>([]);
  const sort = {
    by: by.value,
    turn: (key: string, more: boolean) => void (by.value = turned(by.value, key, more, false)),
  };
  return (
    <div style={{ display: 'flex', height: '180px' }}>
      <Table
        name="example-table"
        label="Runs"
        rows={rowsOf(ROWS)}
        frozen={[RUN]}
        columns={[LOSS]}
        rowHeight={26}
        sort={sort}
      />
    </div>
  );
}

export function Files({ page }: Given): JSX.Element {
  return <TableFiles page={page} name="losses" table={() => [DATA.head, ...DATA.rows]} />;
}

export function ViewAsTable({ page }: Given): JSX.Element {
  return (
    <TableButton
      page={page}
      name="losses"
      title="Loss of every step"
      data={() => DATA}
      load={() => import('@insight-host/kit/table')}
    />
  );
}

export function InADialog({ page }: Given): JSX.Element {
  const open = useSignal(false);
  return (
    <>
      <button type="button" onClick={() => (open.value = true)}>
        Open
      </button>
      {open.value && (
        <TableDialog page={page} name="losses" title="Losses" data={DATA} onClose={() => (open.value = false)} />
      )}
    </>
  );
}

export function EditedCell(): JSX.Element {
  const save = (text: string): void => void (remark.value = text);
  return (
    <EditCell
      name="remark"
      label="Remark"
      kind="line"
      most={200}
      text={remark.value}
      hint="Click to edit"
      onSave={save}
      onKeep={save}
    />
  );
}

export function ModesOfATab({ page }: Given): JSX.Element {
  const twofold = useMemo(() => {
    const ctx = sampleContext(page.ctx);
    const modes = signal([
      { plugin: ctx.name, title: 'Runs' },
      { plugin: 'other', title: 'SQL' },
    ]);
    return new Page({ ...ctx, modes });
  }, []);
  return <Modes page={twofold} />;
}

export function Evidence(): JSX.Element {
  const steps = Array.from({ length: 60 }, (_, step) => step);
  const values = steps.map((step) => (step < 40 ? Math.exp(-step / 20) : 0.14 + (step - 40) / 15));
  const meant = steps.map((step) => step > 50);
  return (
    <div style={{ display: 'grid', gap: '12px', width: '280px' }}>
      <EvidencePicture label="The loss rises" evidence={{ kind: 'series', steps, values, marked: [40, 59] }} />
      <EvidencePicture label="A share" evidence={{ kind: 'share', share: 0.63, saved: [0.2, 0.4] }} />
      <EvidencePicture label="9 of 60 runs" evidence={{ kind: 'runs', meant }} />
    </div>
  );
}
