import type { JSX } from 'preact';
import type { TableAnswer } from '../answers/table';
import { ServerTable } from '../table/server_table';
import type { ViewProps } from '../views';

/** Operators whose shapes change from step to step, call by call. */
export default function Shapes({ board }: ViewProps): JSX.Element {
  return (
    <ServerTable<TableAnswer>
      board={board}
      name="shapes"
      label={board.page.t('view.shapes')}
      route="shapes"
      query={{}}
      settings={board.shapes}
      sort="step"
      order={['step', 'name', 'type', 'kind', 'duration', 'shapes']}
      widths={{ step: 90, shapes: 420 }}
    />
  );
}
