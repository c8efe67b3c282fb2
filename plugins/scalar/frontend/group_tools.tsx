import { Select } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarParts } from './board';
import { CENTRES, fitsCentre, SPREADS } from './grouping';
import { PopoverButton } from './popover_button';

/** While the run panel groups the runs: a button for what the line and the band of a group are. */
export function GroupTools({ board }: { readonly board: ScalarParts }): JSX.Element | null {
  const { t: say } = board.page;
  if (!board.grouping.isOn.value) return null;
  const centre = board.centre.value;
  return (
    <PopoverButton
      action="bands"
      text={`${say(`chart.${centre}`)} · ${say(`spread.${board.shownSpread.value}`)}`}
      label={say('bands.label')}
      class="grouping"
    >
      <div class="bands">
        <Select
          name="centre"
          label={say('centre.label')}
          value={centre}
          options={CENTRES.map((value) => ({ value, text: say(`chart.${value}`) }))}
          onPick={(value) => board.centre.set(value)}
        />
        <Select
          name="spread"
          label={say('spread.label')}
          title={say(`spread.${board.shownSpread.value}.hint`)}
          value={board.shownSpread.value}
          options={SPREADS.map((value) => ({
            value,
            text: say(`spread.${value}`),
            title: say(`spread.${value}.hint`),
            disabled: !fitsCentre(value, centre),
          }))}
          onPick={(value) => board.spread.set(value)}
        />
      </div>
    </PopoverButton>
  );
}
