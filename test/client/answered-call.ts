/**
 * The provider's end of a WebRTC call. It runs in the provider's page, which tells whether it
 * received sound.
 */
export async function answerCall(offer: string): Promise<string> {
  // biome-ignore lint/suspicious/noExplicitAny: this side has no types for the world in there.
  const fixtures = globalThis as any;
  const peer = new fixtures.RTCPeerConnection();
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  peer.ondatachannel = ({ channel }: any) => {
    const said = 'conversation.item.input_audio_transcription';
    const say = (type: string, more: object) =>
      channel.send(JSON.stringify({ type: `${said}.${type}`, item_id: 'item_1', content_index: 0, ...more }));
    // Delayed: a provider first has to receive sound.
    setTimeout(() => {
      // The client must ignore messages that are not JSON.
      for (const strange of ['no json', 'null']) channel.send(strange);
      say('delta', { delta: 'How do I' });
    }, 150);
    channel.onmessage = async ({ data }: { data: string }) => {
      if (JSON.parse(data).type !== 'input_audio_buffer.commit') return;
      for (const report of (await peer.getStats()).values())
        if (report.type === 'inbound-rtp' && report.bytesReceived > 0) fixtures.soundHeard = true;
      say('completed', { transcript: 'How do I reset my password?' });
    };
  };
  await peer.setRemoteDescription({ type: 'offer', sdp: offer });
  await peer.setLocalDescription(await peer.createAnswer());
  await new Promise<void>((resolve) => {
    const look = () => (peer.iceGatheringState === 'complete' ? resolve() : setTimeout(look, 10));
    look();
  });
  return peer.localDescription.sdp;
}
