import { insightPlugin } from '@insight-host/kit/build';

export default insightPlugin({ entry: 'frontend/index.tsx', out: 'insight_health/static' });
