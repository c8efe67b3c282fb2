import { Button, Choice, Cluster, FullScreenToggle, Range, Select, Toggle, ToolbarLine } from '@insight-host/kit';
import type { JSX } from 'preact';
import { FORMS, LAYOUTS, LEVELS, MODES, WIDTHS, type LandscapeParts } from './board';
import { isWhole, WHOLE } from './view';
import { RAMP_NAMES } from './ramps';
import { intervalText } from './texts';

export function Toolbar({ board }: { readonly board: LandscapeParts }): JSX.Element {
  const { t: say } = board.page;
  const isAnalysis = board.mode.value === 'analysis';
  const mode = <Choice say={say} name="mode" label={say('mode')} values={MODES} setting={board.mode} how="push" />;
  const tools = (
    <>
      <Choice say={say} name="form" label={say('form')} values={FORMS} setting={board.form} />
      {isAnalysis ? (
        <Select
          name="interval"
          label={say('interval')}
          value={board.chosen.entry.value?.id ?? ''}
          options={board.chosen.entries.value.map((entry) => ({ value: entry.id, text: intervalText(board, entry) }))}
          onPick={(id) => board.chosen.pickEntry(id)}
        />
      ) : (
        <Choice say={say} name="layout" label={say('layout')} values={LAYOUTS} setting={board.layout} />
      )}
      {!isAnalysis && board.layout.value === 'tiled' && (
        <Toggle action="axes" text={say('axes')} label={say('axes.hint')} setting={board.sameAxes} />
      )}
      <label class="range" title={say('colors')}>
        <Select
          name="colors"
          label={say('colors')}
          value={board.ramp.value}
          options={RAMP_NAMES.map((value) => ({ value, text: say(`colors.${value}`) }))}
          onPick={(value) => board.ramp.set(value)}
        />
      </label>
      {board.form.value === 'surface' ? (
        <Button action="camera" icon="camera" label={say('camera')} onPress={() => board.orbit.reset()} />
      ) : (
        <Button
          action="whole"
          icon="reset"
          label={say('whole')}
          disabled={isWhole(board.planView.value)}
          onPress={() => board.planView.set(WHOLE)}
        />
      )}
      <Cluster>
        <Toggle action="facts" icon="info" label={say('facts.hint')} setting={board.facts} />
        <FullScreenToggle page={board.page} setting={board.screen} />
      </Cluster>
    </>
  );
  const display = (
    <>
      <Range
        name="lines"
        label={say('lines')}
        hint={say('lines.hint')}
        setting={board.levels}
        low={LEVELS[0]}
        high={LEVELS[1]}
        step={5}
        numberStep={1}
        settle={120}
        digits={0}
      />
      <Cluster>
        <Toggle action="log" text={say('log')} label={say('log.hint')} setting={board.log} />
        <Toggle action="relative" text={say('relative')} label={say('relative.hint')} setting={board.relative} />
      </Cluster>
      {board.form.value === 'surface' && (
        <Range
          name="opacity"
          label={say('opacity')}
          setting={board.opacity}
          low={0.2}
          high={1}
          step={0.05}
          digits={2}
        />
      )}
      {isAnalysis && (
        <label class="range" title={say('path.hint')}>
          <span>{say('path')}</span>
          <input
            type="color"
            data-control="path-color"
            aria-label={say('path.color')}
            value={board.pathColor.value}
            onInput={(event) => board.pathColor.set(event.currentTarget.value)}
          />
          <input
            type="number"
            min={WIDTHS[0]}
            max={WIDTHS[1]}
            step={1}
            data-control="path-width"
            aria-label={say('path.width')}
            value={board.pathWidth.value}
            onChange={(event) =>
              board.pathWidth.set(
                Math.max(WIDTHS[0], Math.min(WIDTHS[1], Math.round(Number(event.currentTarget.value)) || WIDTHS[0])),
              )
            }
          />
        </label>
      )}
    </>
  );
  return <ToolbarLine say={say} first={mode} tools={tools} display={display} />;
}
