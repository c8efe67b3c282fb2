import { Button, Choice, Cluster, FullScreenToggle, Select, Toggle, ToolbarLine } from '@insight-host/kit';
import { isPhone } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import type { GraphInfo, GraphRecord } from '../answers';
import { COLORINGS, type GraphParts } from '../board';
import { SHOWS } from '../records';
import { Exports } from '../drawing/exports';
import { SearchBox } from './search_box';
import { sameRecord } from '../source';
import { fit, zoomBy } from '../drawing/stage';

/** Over the drawing, which they move. */
export function ZoomTools({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <div class="zoom-tools">
      <Button action="zoom-in" text="+" label={say('zoom.in')} onPress={() => zoomBy(board, 1.4)} />
      <Button action="zoom-out" text="−" label={say('zoom.out')} onPress={() => zoomBy(board, 1 / 1.4)} />
      <Button action="fit" icon="fit" label={say('zoom.fit')} onPress={() => fit(board)} />
      <Button action="close-all" icon="fold" label={say('close_all')} onPress={() => board.explorer.closeAll()} />
    </div>
  );
}

export function Toolbar({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const isGraph = board.records.show.value === 'graph';
  const both = board.records.ownPipelines.value.length > 0 && board.records.ownGraphs.value.length > 0;
  const search = isGraph && board.records.graph.value && <SearchBox board={board} />;
  const tools = (
    <>
      {both && (
        <Choice
          say={say}
          name="show"
          label={say('show')}
          values={SHOWS}
          setting={{ value: board.records.show.value, set: (value) => board.records.turn(value) }}
        />
      )}
      {isGraph ? (
        <RecordChoice
          board={board}
          show="graph"
          records={board.records.ownGraphs.value}
          chosen={board.records.graph.value}
        />
      ) : (
        <RecordChoice
          board={board}
          show="pipeline"
          records={board.records.ownPipelines.value}
          chosen={board.records.pipeline.value}
        />
      )}
      {!isPhone.value && search}
      {search && <GraphTools board={board} />}
      {board.records.dumps.value.length > 0 && (
        <Button
          action="precision"
          text={say('precision')}
          label={say('precision.hint')}
          onPress={() => (board.dialog.value = 'precision')}
        />
      )}
      <Cluster>
        <Exports board={board} />
        <Toggle action="panel" icon="panel" label={say('panel.toggle')} setting={board.panel} />
        <FullScreenToggle page={board.page} setting={board.screen} />
      </Cluster>
    </>
  );
  return <ToolbarLine say={say} first={isPhone.value && search} tools={tools} />;
}

interface RecordChoiceProps {
  readonly board: GraphParts;
  readonly show: 'graph' | 'pipeline';
  readonly records: readonly (GraphInfo | GraphRecord)[];
  readonly chosen: GraphInfo | GraphRecord | null;
}

/** Names of files differ at their ends. */
const short = (name: string): string => (name.length > 30 ? `${name.slice(0, 12)}…${name.slice(-14)}` : name);

/** Which graph of the run: its name and what it is made of. */
function RecordChoice({ board, show, records, chosen }: RecordChoiceProps): JSX.Element | null {
  if (records.length < 2) return null; // the panel at the right names it
  const at = records.findIndex((record) => sameRecord(record, chosen));
  return (
    <Select
      look="choice"
      name={`${show}-choice`}
      label={board.page.t(`show.${show}`)}
      title={chosen ? `${chosen.run}\n${chosen.tag}` : ''}
      value={at}
      options={records.map((record, value) => ({
        value,
        title: 'name' in record ? record.name : record.tag,
        text: [...('name' in record ? [short(record.name), board.page.t(`graph.${record.kind}`)] : [record.tag])].join(
          ' · ',
        ),
      }))}
      onPick={(picked) => board.records.open(show, records[picked] as GraphInfo | GraphRecord)}
    />
  );
}

function GraphTools({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const times = board.records.profiles.value.length > 0 || board.explorer.scene.value?.root.graph.timed === true;
  return (
    <>
      <Toggle action="readable" text={say('readable')} label={say('readable.hint')} setting={board.readable} />
      <label class="range" title={say('color.hint')}>
        <Select
          name="color"
          label={say('color.hint')}
          value={board.coloring.value}
          options={COLORINGS.map((value) => ({
            value,
            text: say(`color.${value}`),
            disabled: value === 'time' && !times && board.coloring.value !== 'time',
          }))}
          onPick={(value) => board.coloring.set(value)}
        />
        {board.coloring.value === 'time' && board.records.profiles.value.length > 1 && (
          <Select
            name="profile"
            label={say('color.time')}
            value={board.profile.value ?? board.records.profiles.value[0] ?? ''}
            options={board.records.profiles.value.map((value) => ({ value, text: value.replace(/^profiler:/, '') }))}
            onPick={(value) => board.profile.set(value)}
          />
        )}
      </label>
      <Toggle action="shapes" text={say('shapes')} label={say('shapes.hint')} setting={board.texts} />
      {board.records.graphs.value.length > 1 && (
        <Button
          action="difference"
          text={say('diff')}
          label={say('diff.hint')}
          onPress={() => (board.dialog.value = 'difference')}
        />
      )}
    </>
  );
}
