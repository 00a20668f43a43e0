import { createRoot, hydrateRoot } from 'react-dom/client';
import { inStrictMode } from './app.jsx';

const { api: baseUrl, app: appId, scene } = Object.fromEntries(new URLSearchParams(location.search));
const root = document.getElementById('root');
const page = inStrictMode({ scene, settings: { baseUrl, appId } });
if (root.hasChildNodes())
  hydrateRoot(root, page, { onRecoverableError: (error) => console.error(`hydration: ${error}`) });
else createRoot(root).render(page);
