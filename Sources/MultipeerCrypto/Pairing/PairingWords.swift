/// The 1,024 words of short strings and one-time codes: those of Vectors/words-v1.txt (SPEC §25.2, R25.2-1).
public enum PairingWords {
    /// All words, in ascending order. A word's place is ten bits.
    public static let all: [String] = text.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The place of a word; nil for what is none.
    public static func index(of word: String) -> Int? {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle] < word { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low] == word ? low : nil
    }

    private static let text = """
        acorn agate album alder alley almond alpine amber anchor anise ankle anthem antler anvil apple apricot apron
        arbor arcade arctic arena arrow artist ashen atlas atom attic auburn aunt autumn avenue avocado awning azure
        bacon badge bagel baker balcony ballad bamboo banana banjo banner barrel basil basket bath bazaar beach bean
        beard beaver bedrock beetle bell berry bicycle birch biscuit bison blanket blazer blossom blouse boat bobbin
        bonfire bonnet bonsai book border bottle bowl boxer bramble branch brass bread breeze brick bridge brisket
        bronze broom brother brush bubble bucket buffalo bugle bulb bundle bunker burger burlap burrow butter buzzer
        cabbage cabin cable cactus cadence cake calf calico camel camp canal candle canoe canvas captain caramel
        carbon cargo carpet carrot cartoon cashew castle catalog catfish cedar celery cellar cement cereal chalk
        chamber channel chapel cheddar cherry chess chicken chimney chorus cider cinema circle citrus city classic
        clay cliff clock cloud clover cluster coach coal cobalt cobbler cobra cocoa coffee coin colony comet comic
        compass concert condor cookie copper cork corner cosmos cotton cougar coupon courier cousin cowboy coyote crab
        cradle crane crayon cream creek cricket crocus crown cruise crystal cube cuckoo cumin cupcake curry curtain
        cushion cutlery cycle cymbal cypress dahlia daisy dance dawn decade deer delta denim depot desert desk dewdrop
        diary diesel dinner dipper diver doctor dolphin domino donkey donor dormer dough dove dragon drama drapery
        drawer drift drizzle drum duchess duck dune dust eagle eardrum earth easel east echo eclipse editor elastic
        elbow element emerald empire enamel engine enigma epoch equator escort estate ether evening exhibit fabric
        factory falcon family fancy fanfare farmer fashion father faucet fence fennel fern fiber fiddle field figure
        filter finch finger fire flag flame flannel flask flavor fleece flight flint float floor flower fluid flute
        foam focus forest forge fossil freckle freight frog frost fruit fudge furnace gadget galaxy gallery garage
        garden garlic garnet gazebo gecko geyser gherkin giant gibbon gingham giraffe glacier glade glass glider globe
        glue goblet gold gondola goose gopher gorilla gossip gourd grain granite grape gravel green griddle grill
        grove guava guest guide guitar gull gumdrop guppy gusto gypsum habitat hail halibut halo hamlet hammer hamster
        harmony harness harp harvest hatch haven hawk hazel heart heater hedge helium helmet helper herald herb hermit
        heron hickory highway hill hippo history hobby hockey hollow honey hood horizon hornet horse hostel hour
        hurdle husky hydrant hyena iceberg icicle icing igloo iguana image indigo infant inkwell inlet insect iris
        iron island ivory jackal jade jaguar jasmine javelin jazz jelly jersey jester jewel jigsaw jogger joker
        journal juice jukebox jumbo jungle justice kale kayak kernel kettle kimono king kiosk kitchen kite kitten kiwi
        knee knight knot koala label ladder ladle ladybug lagoon lamb land lantern lark laser lasso lattice laurel
        lava leader leaf leather ledger legend lemon lentil leopard letter level library lichen lighter lilac lily
        lime linen lion liquid lizard llama lobster locket locust lodge logic lotus lounge lozenge luggage lullaby
        lumber lunar lunch lupine lynx lyric macaw magenta magma magnet magpie maize mallard mammoth manatee mango
        mantle maple marble margin marina market marmot mascot mask matador matrix meadow measure medal medley melody
        member menu mercury mermaid mesa meteor mica milk mimosa mineral minnow mint minute mirror mixer mocha model
        module mole monitor monsoon moon morning mortar mosaic moss mother motor mouse muffin mural muscle museum
        music mustang myrtle mystery napkin narwhal nation nature navy nebula nectar needle neon nephew nest network
        neutron nickel nomad noodle north nose notary nougat novel nozzle nugget nurse nutmeg nylon oasis oatmeal
        object oboe ocean octagon octopus office olive omelet onion onyx opal opera oracle orange orbit orchard
        oregano organ origami oriole osprey ostrich otter outlaw outpost oven oxcart oxygen oyster ozone paddle pagoda
        paint palace palm pancake panda panel panther papaya paper paprika parade parcel parlor parsley partner pasta
        patio pattern peacock peanut pear pebble pecan pelican pencil penguin pepper perch perfume petal pewter
        phantom phone photo piano piccolo pickle picnic pigeon pillow pilot pine pioneer pirate piston pitcher pixel
        pizza planet plasma plate plaza plum plywood poem polar polka pollen pond popcorn poppy portal possum potato
        pottery powder prairie present pretzel prince prism protein prune pudding pulley pulp puma pumice pumpkin
        puppet purple puzzle pyramid python quail quarry queen quill quince quiver quiz quota rabbit raccoon radar
        radio raft ragtime railway rainbow raisin ranger ratchet ravine razor record reef region relic remedy resin
        rhubarb rhythm rice ricotta ripple road robe robin robot rodeo roof rooster rosebud rover royal rubber ruby
        rudder ruler rumba runner safari saffron sage salad salmon salsa salt sandal sardine satchel satin sauce
        sausage savanna sawdust scale scarf scene scholar science scooter scout screen scroll season seaweed sedan
        seed seesaw senate sequoia sesame shadow shallot shark sheep shelf sheriff shield ship shoe shovel shrimp
        shrub shuttle sibling siesta signal silver siren sister sketch skillet skunk skyline sleet slipper sloth smoke
        snail snake sneaker snow soap soccer sofa soil soldier sonata sonic soprano sorbet south spade spaniel sparrow
        spatula sphere spice spider spinach spiral sponge spool spring sprout spruce squash squid stable stadium stamp
        star station steam step stereo stone stork straw street strudel studio sugar summer sundial sunrise sunset
        surf swallow swan sweater swimmer swing switch syrup system taco tadpole talent tambour tangelo tank tape
        tapir target tart tavern taxi teacher teapot temple tennis tent terrace thimble thistle thorn thread throne
        thumb thunder thyme ticket tiger tile timber tinder tinsel titan toast token tomato topaz topsoil torch
        tornado toucan towel town tractor trail transit tray tree trellis trident trifle trinket trolley trophy trout
        truck truffle trumpet tuba tugboat tulip tundra tunnel turban turkey turnip turret turtle tutor tuxedo tweed
        twig twine uncle unicorn uniform unit upland urchin usher utensil vacuum valve vanilla varnish vase vault
        vector velour velvet vendor venus veranda verdict verse vessel viaduct victory video village vinegar vintage
        viola virtue visitor vista vitamin vocal volcano volley voyage vulture waffle wagon waist waiter walnut walrus
        waltz warbler washer wasp wave week whale wharf wheat wheel whisper wicker widget wildcat wind winter wisdom
        wolf wombat wonder wool world wrapper wreath wrench yacht yard yellow yoga yogurt yolk young zebra zenith
        zephyr zero zigzag zinc zinnia zodiac
        """
}
