/** A command of the palette: the images of the step that the user has pinned, in whichever tab. */
import { API, type Contributions } from '@insight-host/api';
import { contributions as en } from '../insight_image/locales/en.json';
import { contributions as zh } from '../insight_image/locales/zh-CN.json';

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  commands: [
    {
      text: 'images',
      run(ctx) {
        const step = ctx.cursor.value?.step;
        if (step === undefined) ctx.notify('info', ctx.t('nothing'));
        else ctx.open(ctx.name, { step: String(step), link: '1' });
      },
    },
  ],
} satisfies Contributions;
